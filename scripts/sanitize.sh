#!/usr/bin/env bash
# Runs the test suite on core, native module, bridge and atc.bin compiled with sanitizers; the first error ends the test.
#
#   scripts/sanitize.sh address,undefined [argument of pytest...]
#   scripts/sanitize.sh thread [argument of pytest...]
#
# Without a path among the arguments it is the whole suite.
#
# The instrumented wheel is built into a virtual environment of its own. Leaks are not reported: CPython and the packages
# of the tests leak at exit by design; tests/ measures growth over many compiles instead.
#
# Environment:
#   PYTHON        the Python to build and test with, 3.10 or later
#   SANITIZE_DIR  folder for the environment, kept between runs; default: a temporary one
#   ASAN_OPTIONS, UBSAN_OPTIONS, TSAN_OPTIONS  appended to what is set here
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
kind=$1
shift

run=()
case $kind in
  address | address,undefined | undefined) runtime=libasan.so ;;
  thread)
    runtime=libtsan.so
    # Its shadow memory has fixed places, which random addresses run into.
    run=(setarch "$(uname -m)" -R)
    ;;
  *)
    echo "[ERROR] Choosing a sanitizer: expected 'address,undefined', 'address', 'undefined' or 'thread', found '$kind'" >&2
    exit 2
    ;;
esac
[ "$kind" != undefined ] || runtime=libubsan.so

PYTHON=$("$root/scripts/ensure_tools.sh")
if [ -z "${SANITIZE_DIR:-}" ]; then
  SANITIZE_DIR=$(mktemp -d)
  trap 'rm -rf "$SANITIZE_DIR"' EXIT
fi
venv=$SANITIZE_DIR/venv-$kind
[ -x "$venv/bin/python" ] || "$PYTHON" -m venv "$venv"
if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}; fi
# What the sanitizer watches is the code of the project; the backend for 3.9 is nanobind's.
env -u GE_CP39_PYTHON "$venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$SANITIZE_DIR" \
  -C cmake.define.GE_SANITIZE="$kind" -C cmake.build-type=Sanitize -C cmake.define.CMAKE_CXX_FLAGS_SANITIZE="-O1 -g1" \
  -C install.strip=false "$root"
wheel=$(ls -t "$SANITIZE_DIR"/ge_py-*.whl | head -1)
"$venv/bin/pip" install --quiet --disable-pip-version-check "$wheel[test]"
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"

# The run time must come first in the process, and know libstdc++ to intercept its exceptions.
preload="$("${CXX:-g++}" -print-file-name=$runtime) $("${CXX:-g++}" -print-file-name=libstdc++.so.6)"
export ASAN_OPTIONS="detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="halt_on_error=1:exitcode=66:${TSAN_OPTIONS:-}"
# Freed objects must reach the sanitizer instead of CPython's pools.
export PYTHONMALLOC=malloc
cd "$root"
env -u PYTHONPATH -u PYTHONHOME LD_PRELOAD="$preload" "${run[@]}" \
  "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@"
