#!/usr/bin/env bash
# Prints the path of a CPython of the version given (such as 3.9) that has its headers; exit code 1 if there is none.
# Looks on PATH first, then among the versions pyenv has.
#
#   scripts/find_python.sh 3.9
set -euo pipefail

version=${1:?usage: find_python.sh MAJOR.MINOR}

# The interpreter itself, whichever shim or virtual environment leads to it.
check='
import os, sys, sysconfig
assert sys.implementation.name == "cpython" and "%d.%d" % sys.version_info[:2] == sys.argv[1]
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(sys.executable)
'

candidates=("$(command -v "python$version" || true)")
if command -v pyenv >/dev/null; then
  while read -r name; do
    candidates+=("$(pyenv root)/versions/$name/bin/python$version")
  done < <(pyenv versions --bare | { grep -E "^${version//./\\.}(\.|$)" || true; } | sort -rV)
fi

for candidate in "${candidates[@]}"; do
  if [ -x "$candidate" ] && found=$("$candidate" -c "$check" "$version" 2>/dev/null); then
    echo "$found"
    exit 0
  fi
done
exit 1
