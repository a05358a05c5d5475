#!/usr/bin/env bash
# Installs the wheel in fresh Debian roots that hold Python and nothing else, and does there what a user does first
# (scripts/distribution_checks.sh). Prints a Markdown table; docs/distributions.md has the last one.
#
#   scripts/test_distributions.sh [WHEEL | --bundle DIR] [--arch x86_64|aarch64] [--keep-logs DIR]
#                                 [debian11|debian12|debian13|forky]...
#
# WHEEL: default is to build one with scripts/build_manylinux.sh. --bundle installs from a folder of scripts/offline_bundle.sh
# instead, in roots that have no network. Without names all distributions are tried. Each gets a fresh
# copy of a root that debootstrap makes once. aarch64 runs under qemu-user. Exit code 1 if anything failed.
#
# Needs root, on Debian or Ubuntu; installs debootstrap and qemu-user-static if missing.
#
# Environment: GE_ROOTS, folder that keeps the roots, default ~/.cache/ge-py/roots; GE_DEBIAN_MIRROR, default: that of apt.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
usage() {
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

arguments=("$@")
wheel='' arch=$(uname -m) logs='' bundle='' names=()
while [ $# -gt 0 ]; do
  case $1 in
    *.whl) wheel=$(realpath "$1") ;;
    --arch) arch=${2:-}; shift ;;
    --bundle) bundle=$(realpath "${2:?--bundle needs a folder}"); shift ;;
    --keep-logs) logs=${2:?--keep-logs needs a folder}; shift ;;
    debian11 | debian12 | debian13 | forky) names+=("$1") ;;
    *) usage ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || names=(debian11 debian12 debian13 forky)
case $arch in
  x86_64) debian_arch=amd64 ;;
  aarch64) debian_arch=arm64 ;;
  *) echo "[ERROR] reading --arch: expected x86_64 or aarch64, found '$arch'" >&2; exit 2 ;;
esac

. "$root/scripts/debian_root.sh"
private_mounts "${arguments[@]}"
roots=${GE_ROOTS:-$HOME/.cache/ge-py/roots}
mkdir -p "$roots"
roots=$(cd "$roots" && pwd -P)
work=$(mktemp -d -p "$roots")
trap 'drop_root "$work"' EXIT
logs=${logs:-$work/logs}
mkdir -p "$logs"

inside=(in_root)
if [ -n "$bundle" ]; then
  wheel=$(echo "$bundle"/ge_py-*"_$arch.whl")
  inside=(in_root_offline)
elif [ -z "$wheel" ]; then
  "$root/scripts/build_manylinux.sh" "$work/wheel" --arch "$arch"
  wheel=$(echo "$work"/wheel/*.whl)
fi

# distribution: its suite and the Pythons it has, '3.14 3.15'.
suite_of() { case $1 in debian11) echo bullseye ;; debian12) echo bookworm ;; debian13) echo trixie ;; *) echo "$1" ;; esac; }
pythons_of() { case $1 in debian11) echo 3.9 ;; debian12) echo 3.11 ;; debian13) echo 3.13 ;; forky) echo 3.14 3.15 ;; esac; }

columns=('no compiler' 'pip install' pass 'custom operator' atc.bin --verify)
rows=()
failed=0
for name in "${names[@]}"; do
  packages=(ca-certificates libstdc++6)
  for version in $(pythons_of "$name"); do packages+=("python$version-venv" "libpython$version"); done
  pristine=$roots/$name-$debian_arch
  make_root "$pristine" "$(suite_of "$name")" "$debian_arch" "${packages[@]}"
  for version in $(pythons_of "$name"); do
    fresh=$work/$name-$version
    log=$logs/$name-$version-$arch.log
    copy_root "$pristine" "$fresh"
    bind_into "$fresh" "$root" /ge-py ro
    bind_into "$fresh" "$(dirname "$wheel")" /wheel ro
    declare -A result=()
    status=0
    wanted=("/wheel/$(basename "$wheel")")
    if [ -n "$bundle" ]; then wanted=(ge-py --no-index --find-links /wheel); fi
    "${inside[@]}" "$fresh" bash /ge-py/scripts/distribution_checks.sh "/usr/bin/python$version" "${wanted[@]}" 2>"$log" >"$work/results" || status=$?
    while IFS=$'\t' read -r key value; do result[$key]=$value; done <"$work/results"
    row="| $name $(cat "$fresh/etc/debian_version") | ${result[glibc]:-?} | ${result[python]:-?} |"
    for column in "${columns[@]}"; do row+=" ${result[$column]:-not reached} |"; done
    rows+=("$row")
    if [ $status != 0 ]; then
      failed=1
      echo "[ERROR] $name, Python $version: exit code $status, the last lines of '$log':" >&2
      tail -n 25 "$log" >&2
    fi
    unset result
    drop_root "$fresh"
  done
done

if [ -n "$bundle" ]; then echo "without a network, from a bundle:"; fi
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes, sha256 $(sha256sum "$wheel" | cut -c1-16)"
echo
printf '| distribution | glibc | Python |'; printf ' %s |' "${columns[@]}"; echo
printf '|---|---|---|'; printf -- '---|%.0s' "${columns[@]}"; echo
printf '%s\n' "${rows[@]}"
exit $failed
