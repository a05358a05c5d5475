#!/usr/bin/env bash
# Makes sure that this machine can build: a C++20 compiler, and a Python from 3.10 on with its headers and venv. Prints the
# path of that Python. As root on Debian or Ubuntu it installs what is missing; elsewhere it says what to install.
#
#   PYTHON=$(scripts/ensure_tools.sh)
#
# Environment: PYTHON, the Python to use; default: python3, else the oldest from 3.10 on that PATH or pyenv know.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

usable='
import os, sys, sysconfig
assert sys.version_info >= (3, 10) and sys.implementation.name == "cpython"
import ensurepip, venv
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(sys.executable)
'

find_python() {
  local name
  for name in ${PYTHON:-python3}; do
    "$name" -c "$usable" 2>/dev/null && return
  done
  [ -z "${PYTHON:-}" ] || return 1
  local version
  for version in 3.10 3.11 3.12 3.13 3.14 3.15; do
    name=$("$root/scripts/find_python.sh" "$version") && "$name" -c "$usable" 2>/dev/null && return
  done
  return 1
}

missing=()
command -v "${CXX:-g++}" >/dev/null || missing+=(g++)
python=$(find_python) || missing+=(python3 python3-dev python3-venv)
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${missing[*]} with apt-get" >&2
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" ca-certificates; } >&2
  missing=()
  command -v "${CXX:-g++}" >/dev/null || missing+=(g++)
  python=$(find_python) || missing+=("a Python from 3.10 on with headers and venv")
fi
if [ ${#missing[@]} -gt 0 ]; then
  echo "[ERROR] looking for a C++ compiler and a Python from 3.10 on with headers and venv: ${missing[*]} not found;" \
    "install it (on Debian as root: apt-get install g++ python3-dev python3-venv), or set CXX and PYTHON" >&2
  exit 1
fi
echo "$python"
