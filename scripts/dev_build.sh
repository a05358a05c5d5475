#!/usr/bin/env bash
# Builds the tree into a folder usable as PYTHONPATH, in seconds after a change instead of a whole wheel.
#
#   scripts/dev_build.sh STAGE [ninja target...]
#   PYTHONPATH=STAGE python -m ge.pyatc ...
#
# STAGE/ge gets the libraries and symbolic links to python: changes of Python files count at once, new files after the
# next run. The build lies in STAGE/.build (kept between runs). With targets (ge_ops, ge_pass_native, ...) only those are
# built and nothing is installed.
#
# Environment:
#   PYTHON            the Python whose headers and nanobind are used; default: that of the active virtual environment
#   GE_CP39_PYTHON    a CPython 3.9 with headers; default: one that pyenv or PATH knows; empty: none
#   GE_BUILD_TYPE     Release, RelWithDebInfo, Debug, or Dev (-O1, quick to compile); default: Dev
#   GE_CMAKE_ARGS     more arguments for cmake, such as -DGE_SANITIZE=address,undefined
#   JOBS              parallel compilations; default 2
set -euo pipefail

[ $# -ge 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
stage=$1
shift
mkdir -p "$stage"
stage=$(cd "$stage" && pwd)
build=$stage/.build

python=${PYTHON:-${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}}
python=${python:-$(command -v python3)}
if [ -z "${GE_CP39_PYTHON+set}" ]; then
  GE_CP39_PYTHON=$("$root/scripts/find_python.sh" 3.9 || true)
fi

args=(-G Ninja -S "$root" -B "$build" "-DPython_EXECUTABLE=$python" "-DGE_CP39_PYTHON=$GE_CP39_PYTHON"
  "-DCMAKE_BUILD_TYPE=${GE_BUILD_TYPE:-Dev}" -DCMAKE_CXX_FLAGS_DEV=-O1
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
if command -v ccache >/dev/null; then args+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
read -ra more <<<"${GE_CMAKE_ARGS:-}"
cmake "${args[@]}" "${more[@]}" >"$stage/.configure.log" 2>&1 || { cat "$stage/.configure.log" >&2; exit 1; }

nice cmake --build "$build" -j "${JOBS:-2}" ${@:+--target "$@"}
[ $# -eq 0 ] || exit 0

cmake --install "$build" --prefix "$stage" >/dev/null
# Links of files that are gone go too.
mkdir -p "$stage/ge_atc"
find "$stage/ge" "$stage/ge_atc" -xtype l -delete
cp -rsf "$root/python/." "$stage/"
echo "ready: PYTHONPATH=$stage"
