#!/usr/bin/env bash
# Collects the wheel and all it needs into a folder, for machines without a network.
#
#   scripts/offline_bundle.sh OUTDIR [PYTHON_VERSION...] [--wheel WHEEL] [--arch x86_64|aarch64] [--verify]
#
# On such a machine, with the folder copied there:
#
#   pip install --no-index --find-links OUTDIR ge-py
#
# PYTHON_VERSION: the Pythons there, such as 3.9 3.11; default: that of the Python used here. One folder may serve several.
# --wheel: default is to build one with scripts/build_manylinux.sh (root, Debian). --verify: onnxruntime and what goes with it
# too, for 'ge-py[verify]'. The machine there needs glibc 2.28 or later and may be another architecture than this one.
# uv chooses the versions, because pip takes the conditions of requirements (python_version >= "3.10") from the Python that
# runs it; pip downloads.
#
# Environment: PYTHON; with --wheel from 3.9 on with venv, default python3; else as scripts/ensure_tools.sh finds it.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

out='' wheel='' arch=$(uname -m) extra='' versions=()
while [ $# -gt 0 ]; do
  case $1 in
    --wheel)
      [ $# -ge 2 ] || usage
      [ -f "$2" ] || { echo "[ERROR] reading --wheel: expected the file of a wheel, found none at '$2'" >&2; exit 2; }
      wheel=$(realpath "$2")
      shift
      ;;
    --arch) arch=${2:-}; shift ;;
    --verify) extra='[verify]' ;;
    [0-9]*.[0-9]*) versions+=("$1") ;;
    -*) usage ;;
    *) [ -z "$out" ] || usage; out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || usage
case $arch in
  x86_64 | aarch64) ;;
  *) echo "[ERROR] reading --arch: expected x86_64 or aarch64, found '$arch'" >&2; exit 2 ;;
esac

# Only what builds needs a compiler.
if [ -z "$wheel" ]; then
  PYTHON=$("$root/scripts/ensure_tools.sh")
elif ! "${PYTHON:=python3}" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  echo "[ERROR] looking for a Python from 3.9 on with venv: '$PYTHON' is none; install it (on Debian: apt-get install" \
    "python3-venv), or set PYTHON" >&2
  exit 1
fi
if [ ${#versions[@]} = 0 ]; then versions=("$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"); fi
case $wheel in
  '' | *_"$arch".whl) ;;
  *) echo "[ERROR] reading --wheel: expected one for '$arch', found '$(basename "$wheel")'; give --arch, or another wheel" >&2; exit 2 ;;
esac
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$wheel" ]; then
  "$root/scripts/build_manylinux.sh" "$work/wheel" --arch "$arch"
  wheel=$(echo "$work"/wheel/*.whl)
fi

"$PYTHON" -m venv "$work/venv"
"$work/venv/bin/pip" install -qq --disable-pip-version-check --upgrade pip uv
index=$("$work/venv/bin/pip" config get global.index-url 2>/dev/null || true)

platforms=()
for glibc in 28 27 26 24 17 12 5; do platforms+=(--platform "manylinux_2_${glibc}_$arch"); done
platforms+=(--platform "manylinux2014_$arch" --platform "manylinux2010_$arch" --platform "manylinux1_$arch")

cp -f "$wheel" "$out/"
for version in "${versions[@]}"; do
  # uv would keep to what it chose for another Python.
  rm -f "$work/chosen"
  echo "ge-py$extra @ file://$wheel" >"$work/wanted"
  "$work/venv/bin/uv" pip compile --quiet --no-header --no-annotate --no-emit-package ge-py --only-binary :all: \
    --python-version "$version" --python-platform "$arch-manylinux_2_28" ${index:+--index-url "$index"} \
    "$work/wanted" --output-file "$work/chosen" || {
    echo "[ERROR] choosing packages for Python $version on $arch: expected a wheel of each, see above; leave --verify out or" \
      "choose another version" >&2
    exit 1
  }
  "$work/venv/bin/pip" download -qq --disable-pip-version-check --no-deps --only-binary=:all: --dest "$out" \
    --implementation cp --python-version "$version" "${platforms[@]}" --requirement "$work/chosen"
  echo "Python $version: $(grep -v '^#' "$work/chosen" | tr '\n' ' ')"
done
(cd "$out" && sha256sum -- *.whl >SHA256SUMS)
echo "ready: $(find "$out" -name '*.whl' | wc -l) wheels, $(du -sh "$out" | cut -f1) in '$out'; there:" \
  "pip install --no-index --find-links '$out' 'ge-py$extra'"
