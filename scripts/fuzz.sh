#!/usr/bin/env bash
# Fuzzes the readers of model files with libFuzzer under ASan and UBSan; each for its share of SECONDS.
#
#   scripts/fuzz.sh SECONDS [air om onnx...]
#
# Seeds are models out of the onnx package's backend tests (tests/fuzz/seeds.py, make_seeds.cc). The corpus is kept between runs in BUILD_DIR;
# an input that fails is printed and kept in BUILD_DIR/findings: make it small (FUZZER -minimize_crash=1), put it into
# tests/data/fuzz, where the suite replays it, and correct what it shows. The exit code is 1 if there is a finding.
#
# Environment:
#   PYTHON    a Python with the onnx package, for the seeds; default: python3
#   CXX       clang++; default: clang++
#   BUILD_DIR folder of the build and the corpus; default: build/fuzz
#   JOBS      parallel compilations; default 2
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
[ $# -ge 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
seconds=$1
shift
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
  for source in tests/fuzz/*_fuzzer.cc; do targets+=("$(basename "$source" _fuzzer.cc)"); done
fi
CXX=${CXX:-clang++}
command -v "$CXX" >/dev/null || {
  echo "[ERROR] Looking for clang: expected '$CXX' on PATH, found none; install it (on Debian: apt-get install clang)" >&2
  exit 2
}
PYTHON=${PYTHON:-python3}
BUILD_DIR=$(realpath -m "${BUILD_DIR:-build/fuzz}")
mkdir -p "$BUILD_DIR"/findings

tools=$BUILD_DIR/tools
[ -x "$tools/bin/cmake" ] || "$PYTHON" -m venv "$tools"
[ -x "$tools/bin/ninja" ] || "$tools/bin/pip" install --quiet --disable-pip-version-check cmake ninja nanobind
args=(-G Ninja -S "$root" -B "$BUILD_DIR/build" "-DPython_EXECUTABLE=$tools/bin/python" -DGE_CP39_PYTHON=
  "-DCMAKE_CXX_COMPILER=$CXX" -DCMAKE_BUILD_TYPE=Fuzz "-DCMAKE_CXX_FLAGS_FUZZ=-O1 -g1 -fsanitize=fuzzer-no-link"
  -DGE_SANITIZE=address,undefined -DGE_BUILD_FUZZERS=ON)
if command -v ccache >/dev/null; then args+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
export PATH=$tools/bin:$PATH
cmake "${args[@]}" >"$BUILD_DIR/configure.log" 2>&1 || { cat "$BUILD_DIR/configure.log" >&2; exit 1; }
cmake --build "$BUILD_DIR/build" -j "${JOBS:-2}" --target make_seeds "${targets[@]/%/_fuzzer}" | tail -n 1

"$PYTHON" tests/fuzz/seeds.py "$BUILD_DIR/seeds"
"$BUILD_DIR/build/tests/fuzz/make_seeds" "$BUILD_DIR"/seeds/{onnx,air,om}
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
failed=0
for target in "${targets[@]}"; do
  mkdir -p "$BUILD_DIR/corpus/$target"
  log=$BUILD_DIR/$target.log
  status=0
  "$BUILD_DIR/build/tests/fuzz/${target}_fuzzer" -max_total_time=$((seconds / ${#targets[@]})) -max_len=65536 -timeout=20 \
    -rss_limit_mb=4096 -print_final_stats=1 "-artifact_prefix=$BUILD_DIR/findings/$target-" \
    "$BUILD_DIR/corpus/$target" "$BUILD_DIR/seeds/$target" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    tail -n 60 "$log"
    failed=1
  fi
  echo "$target: exit code $status; $(sed -n 's/^stat::number_of_executed_units: */executions /p' "$log" | tail -n 1)," \
    "$(grep -E '^#[0-9]+' "$log" | tail -n 1)"
done
exit $failed
