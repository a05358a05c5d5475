#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment and runs the main job: atc compiles a model with a sample
# pass and proves that the result computes the same.
#
#   scripts/quickstart.sh [VENV]        default: .venv
#
# Environment: PYTHON, the Python to use (3.10 or later).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
venv=${1:-.venv}

PYTHON=$(scripts/ensure_tools.sh)
export PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/build_wheel.sh "$work"
rm -rf "$venv"
"$PYTHON" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "$(echo "$work"/*.whl)[verify]"

mkdir -p build/quickstart
ASCEND_GE_PY_PASS_PATH=samples/hard_swish/hard_swish.py "$venv/bin/atc" --framework=5 --soc_version=Ascend910B1 \
  --model=samples/hard_swish/model.onnx --output=build/quickstart/hard_swish --emit=onnx --verify
echo "ready: . $venv/bin/activate"
