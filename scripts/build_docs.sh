#!/usr/bin/env bash
# Makes the pages of docs/ into a site, strictly: a dead link, a page that no table of contents has, or any other warning fails.
#
#   scripts/build_docs.sh OUTDIR [--external]
#
# OUTDIR/index.html is where it begins. --external also asks whether links to other sites still lead somewhere.
# Where the Python has ge and pytest, the code blocks and commands of the pages are run too (tests/test_docs.py).
#
# Environment:
#   PYTHON   a Python with the packages of docs/site/requirements.txt; default: python3. If it lacks them, they go into a
#            temporary virtual environment.
set -euo pipefail

[ $# -ge 1 ] && [ "${2:---external}" = --external ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sphinx=$python
if ! "$python" -c 'import sphinx, myst_parser, furo' 2>/dev/null; then
  "$python" -m venv "$work/venv"
  sphinx=$work/venv/bin/python
  "$sphinx" -m pip install --quiet --disable-pip-version-check -r "$root/docs/site/requirements.txt"
fi

build() { "$sphinx" -m sphinx -b "$1" -c "$root/docs/site" -d "$work/doctrees" -W --keep-going -n -q "$root/docs" "$2"; }
build html "$out"
if [ "${2:-}" = --external ]; then build linkcheck "$work/links"; fi

if (cd "$work" && "$python" -c 'import ge.passes, pytest, onnx') 2>/dev/null; then
  (cd "$root" && "$python" -m pytest -q -p no:cacheprovider tests/test_docs.py)
else
  echo "the code blocks were not run: '$python' lacks ge, pytest or onnx"
fi
echo "ready: $out/index.html"
