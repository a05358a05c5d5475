#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment and runs the test suite against it.
#
#   scripts/test.sh [argument of pytest...]
#
# Environment: PYTHON, the Python to use (3.10 or later).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

PYTHON=$("$root/scripts/ensure_tools.sh")
export PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/scripts/build_wheel.sh" "$work"
"$root/scripts/test_wheel.sh" "$work"/*.whl "$PYTHON" "$@"
