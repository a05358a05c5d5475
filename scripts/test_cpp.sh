#!/usr/bin/env bash
# Builds the tests of the core's insides (tests/cpp) with sanitizers and runs them.
#
# Environment:
#   PYTHON    the Python to configure with; default: one that is found
#   BUILD_DIR folder of the build, kept between runs; default: a temporary one
#   JOBS      parallel compilations; default 2
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
PYTHON=$(scripts/ensure_tools.sh)
if [ -z "${BUILD_DIR:-}" ]; then
  BUILD_DIR=$(mktemp -d)
  trap 'rm -rf "$BUILD_DIR"' EXIT
fi
mkdir -p "$BUILD_DIR"
venv=$BUILD_DIR/venv
[ -x "$venv/bin/python" ] || "$PYTHON" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check cmake ninja nanobind

args=(-G Ninja -S "$root" -B "$BUILD_DIR/build" "-DPython_EXECUTABLE=$venv/bin/python" -DGE_CP39_PYTHON=
  -DCMAKE_BUILD_TYPE=Sanitize "-DCMAKE_CXX_FLAGS_SANITIZE=-O1 -g1" -DGE_SANITIZE=address,undefined -DGE_BUILD_TESTS=ON)
if command -v ccache >/dev/null; then args+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
export PATH=$venv/bin:$PATH
cmake "${args[@]}" >"$BUILD_DIR/configure.log" 2>&1 || { cat "$BUILD_DIR/configure.log" >&2; exit 1; }
tests=()
for source in tests/cpp/*_test.cc; do tests+=("$(basename "$source" .cc)"); done
cmake --build "$BUILD_DIR/build" -j "${JOBS:-2}" --target "${tests[@]}" | tail -n 1
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:${UBSAN_OPTIONS:-}"
ctest --test-dir "$BUILD_DIR/build" --output-on-failure
