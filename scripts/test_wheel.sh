#!/usr/bin/env bash
# Runs the test suite against a wheel, in a virtual environment of its own that is removed afterwards.
#
#   scripts/test_wheel.sh WHEEL PYTHON [argument of pytest...]
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "$1")
python=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel[test]"
cd "$root"
# Nothing of the caller's environment may lead to another ge.
env -u PYTHONPATH -u PYTHONHOME -u VIRTUAL_ENV "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests "$@"
