#!/usr/bin/env bash
# What a user does first, in a machine that has nothing but Python: scripts/test_distributions.sh runs this inside a root.
#
#   distribution_checks.sh PYTHON WHEEL|NAME [pip option...]
#
# Each line of standard output is 'check<tab>result'; what a command said goes to standard error. Exit code 1 if a check failed.
set -uo pipefail
python=$1 wheel=$2
shift 2
samples=$(cd "$(dirname "$0")/../samples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

failed=0
# check NAME TEXT-IF-FINE COMMAND...
check() {
  local name=$1 fine=$2 status
  shift 2
  echo "--- $name: $*" >&2
  "$@" >&2
  status=$?
  if [ $status = 0 ]; then printf '%s\t%s\n' "$name" "$fine"; else printf '%s\tFAILED\n' "$name" && failed=1; fi
  return $status
}

# The sample's pass replaces two places by one node each; the file says so too, not only the report.
hard_swish() {
  local output=$1
  shift
  ASCEND_GE_PY_PASS_PATH=$samples/hard_swish/hard_swish.py "$@" --framework=5 --soc_version=Ascend910B1 --emit=onnx \
    --model="$samples/hard_swish/model.onnx" --output="$work/$output" | tee "$output.log" &&
    grep -qE 'FuseHardSwish +2 +2 +-6' "$output.log" &&
    venv/bin/python -c "
import ge.onnx
graph = ge.onnx.load('$work/$output.onnx')
types = [node.type for node in graph.get_all_nodes()]
assert types.count('HardSwish') == 2, types"
}

# An operator of one's own, and a pass whose pattern is made of it.
custom_op() {
  ASCEND_CUSTOM_OPP_PATH=$samples/custom_op_sum/sum_custom.py ASCEND_GE_PY_PASS_PATH=$samples/custom_op_sum/flatten_sums.py \
    venv/bin/atc --framework=5 --soc_version=Ascend910B1 --emit=onnx --model="$samples/custom_op_sum/model.onnx" \
    --output="$work/custom" "$@" | tee custom.log && grep -qE 'FlattenSums +1 +1 +-1' custom.log
}

native() {
  local package
  package=$(venv/bin/python -c 'import os, ge; print(os.path.dirname(ge.__file__))')
  VIRTUAL_ENV=$work/venv hard_swish native "$package/bin/atc.bin" && cmp "$work/script.onnx" "$work/native.onnx"
}

verify() {
  hard_swish verified venv/bin/atc --verify && grep -q 'largest difference' verified.log &&
    custom_op --verify && grep -q 'largest difference' custom.log
}

printf 'python\t%s\n' "$("$python" -c 'import platform; print(platform.python_version())')"
printf 'glibc\t%s\n' "$("$python" -c 'import os; print(os.confstr("CS_GNU_LIBC_VERSION").split()[1])')"
check 'no compiler' 'none' bash -c '! command -v cc c++ gcc g++ clang clang++'
check 'venv' 'ok' "$python" -m venv venv || exit 1
check 'pip install' 'ok' venv/bin/pip install -qq "$@" "$wheel" || exit 1
check 'pass' 'ok' hard_swish script venv/bin/atc
check 'custom operator' 'ok' custom_op
check 'atc.bin' 'ok' native
# onnxruntime and what it needs have no wheels for the newest Pythons; that is no failure of ours.
if venv/bin/pip install -qq --only-binary=:all: "$@" "${wheel}[verify]" >&2; then
  check '--verify' "ok, onnxruntime $(venv/bin/python -c 'import onnxruntime; print(onnxruntime.__version__)' 2>/dev/null)" verify
else
  printf '%s\t%s\n' --verify "no wheel of onnxruntime"
fi
exit $failed
