#!/usr/bin/env bash
# Builds the release wheel in an isolated environment and says what it used.
#
#   scripts/build_wheel.sh OUTDIR                  for this machine and those with a glibc as new as its own
#   scripts/build_wheel.sh OUTDIR --manylinux ...  for any with glibc 2.27 or later: scripts/build_manylinux.sh OUTDIR ...
#
# With a CPython 3.9 at hand the wheel brings nanobind's backend for it and is tagged cp39-abi3; without one it is tagged
# cp310-abi3. The build itself needs Python 3.10 or later with headers, and a C++20 compiler; cmake and ninja come from
# PyPI where the machine lacks them. The same tree gives the same bytes on the same machine.
#
# Environment:
#   PYTHON            the Python that builds; default: the oldest from 3.10 on that PATH or pyenv know
#   GE_CP39_PYTHON    the CPython 3.9; default: one that PATH or pyenv know; empty: none
#   SOURCE_DATE_EPOCH time stamp of the files in the wheel; default: that of the last commit
set -euo pipefail

if [ "${2:-}" = --manylinux ]; then exec "$(dirname "$0")/build_manylinux.sh" "$1" "${@:3}"; fi
[ $# -eq 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)

find_builder() {
  local version
  for version in 3.10 3.11 3.12 3.13 3.14 3.15; do
    "$root/scripts/find_python.sh" "$version" && return
  done
  return 1
}
if [ -z "${PYTHON:-}" ]; then
  PYTHON=$(find_builder) || {
    echo "[ERROR] Looking for a Python to build with: expected 3.10 or later with its headers on PATH or in pyenv, found" \
      "none; install one (on Debian: apt-get install python3-dev python3-venv), or set PYTHON" >&2
    exit 1
  }
fi
if [ -z "${GE_CP39_PYTHON+set}" ]; then
  GE_CP39_PYTHON=$("$root/scripts/find_python.sh" 3.9 || true)
fi
export GE_CP39_PYTHON

if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/pyproject.toml")
fi
export SOURCE_DATE_EPOCH

echo "building with '$PYTHON' ($("$PYTHON" -V))"
if [ -n "$GE_CP39_PYTHON" ]; then
  echo "backend for 3.9 with '$GE_CP39_PYTHON' ($("$GE_CP39_PYTHON" -V)): the wheel will be cp39-abi3"
else
  # The override in pyproject.toml asks whether the variable has a value.
  unset GE_CP39_PYTHON
  echo "no CPython 3.9 with headers found (set GE_CP39_PYTHON to give one): the wheel will be cp310-abi3"
fi

if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work/venv"
"$work/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/wheel" "$root"
wheel=$(echo "$work"/wheel/*.whl)
mv -f "$wheel" "$out/"
echo "built '$out/$(basename "$wheel")' ($(stat -c %s "$out/$(basename "$wheel")") bytes)"
