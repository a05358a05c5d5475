# Debian roots to build and test in; sourced by the scripts that need one. Needs root and a Debian or Ubuntu machine.
#
#   private_mounts "$@"                   first: the script runs in a mount namespace, so no mount outlives it
#   make_root DIR SUITE ARCH PACKAGE...   debootstrap, once: DIR is there whole or not at all
#   copy_root FROM TO                     a fresh copy to spoil, with /proc and /dev mounted
#   drop_root DIR                         unmounts and removes
#   bind_into ROOT FOLDER TARGET [ro]     FOLDER of this machine is seen as TARGET inside
#   in_root ROOT COMMAND...               runs COMMAND inside, with nothing of the caller's environment
#   in_root_offline ROOT COMMAND...       the same without any network
#
# Environment: GE_DEBIAN_MIRROR, default: the mirror that apt uses.

private_mounts() {
  if [ "$(id -u)" != 0 ]; then
    echo "[ERROR] making a Debian root: expected to run as root (debootstrap, mount and chroot need it), found user" \
      "'$(id -un)'; run it with sudo" >&2
    exit 1
  fi
  [ -n "${GE_PRIVATE_MOUNTS:-}" ] || GE_PRIVATE_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
}

# The caller looks whether that helped.
try_to_install() {
  echo "installing $1 with apt-get" >&2
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"; } >/dev/null 2>&1 || true
}

# need COMMAND PACKAGE: installs what is missing, or says so.
need() {
  command -v "$1" >/dev/null && return
  try_to_install "$2"
  command -v "$1" >/dev/null || {
    echo "[ERROR] looking for '$1': expected it on PATH, found none, and 'apt-get install $2' did not bring it; install it" >&2
    exit 1
  }
}

debian_mirror() {
  local found
  found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^ *#' |
    grep -oE 'https?://[^ ]+/debian/?([[:space:]]|$)' | head -1 | tr -d '[:space:]' || true)
  echo "${GE_DEBIAN_MIRROR:-${found:-http://deb.debian.org/debian}}"
}

# Programs of another architecture run under qemu-user, in every root and without a file in it (flag F).
need_architecture() {
  [ "$1" != "$(dpkg --print-architecture)" ] || return 0
  [ "$1" = arm64 ] || { echo "[ERROR] making a root for '$1': expected amd64 or arm64" >&2; exit 1; }
  need qemu-aarch64-static qemu-user-static
  [ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
  [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || tr -d '\n' </usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
}

# install_packages ROOT PACKAGE...
install_packages() {
  local dir=$1
  shift
  cp -L /etc/resolv.conf /etc/hosts "$dir/etc/"
  # An index may be past its time, as those of snapshots and of mirrors that stand still are; its signature still counts.
  in_root "$dir" sh -ec 'apt-get -o Acquire::Check-Valid-Until=false update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' sh "$@" >"$dir.log" 2>&1 || {
    tail -5 "$dir.log" >&2
    echo "[ERROR] installing '$*' in '$dir': expected apt-get to succeed, found the above; the whole log is '$dir.log'" >&2
    exit 1
  }
}

# Ubuntu has Debian's keys in a package of its own, and without them debootstrap would check nothing.
need_keyring() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ ! -e "$keyring" ] || return 0
  try_to_install debian-archive-keyring
  [ -e "$keyring" ] || {
    echo "[ERROR] looking for Debian's keys: expected '$keyring', found none, and" \
      "'apt-get install debian-archive-keyring' did not bring it; install it" >&2
    exit 1
  }
}

make_root() {
  local dir=$1 suite=$2 arch=$3 packages
  packages=$(printf '%s\n' "${@:4}" | LC_ALL=C sort | tr '\n' ' ')
  if [ "$(cat "$dir/.ge-root" 2>/dev/null)" = "$suite $arch $packages" ]; then return; fi
  need debootstrap debootstrap
  need_architecture "$arch"
  echo "making a Debian $suite root for $arch in '$dir' (some minutes, once)" >&2
  drop_root "$dir"
  drop_root "$dir.new"
  mkdir -p "$dir.new"
  local script=/usr/share/debootstrap/scripts/$suite
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  need_keyring
  debootstrap --arch="$arch" --variant=minbase --force-check-gpg --include=ca-certificates "$suite" "$dir.new" "$(debian_mirror)" \
    "$script" >"$dir.log" 2>&1 || {
    tail -5 "$dir.log" >&2
    echo "[ERROR] making a Debian $suite root: expected debootstrap to succeed, found the above; the whole log is '$dir.log'" >&2
    exit 1
  }
  # The same package index and certificates as on this machine, so that pip works inside.
  if [ -f /etc/pip.conf ]; then cp /etc/pip.conf "$dir.new/etc/"; fi
  local home
  home=$(awk -F: '$1 == "root" {print $6}' "$dir.new/etc/passwd")
  if [ -f ~/.config/pip/pip.conf ]; then install -D -m 600 ~/.config/pip/pip.conf "$dir.new$home/.config/pip/pip.conf"; fi
  mkdir -p "$dir.new/etc/ssl/certs"
  cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$dir.new/etc/ssl/certs/"
  # By apt: debootstrap knows nothing of packages that others provide.
  install_packages "$dir.new" "${@:4}"
  rm -rf "$dir.new"/var/cache/apt/archives/*.deb "$dir.new"/var/lib/apt/lists/*
  echo "$suite $arch $packages" >"$dir.new/.ge-root"
  mv "$dir.new" "$dir"
}

# Unmounts first: what is bound into a root is no part of it.
drop_root() {
  local point
  awk -v below="$1/" 'index($5, below) == 1 {print $5}' /proc/self/mountinfo | sort -r | while read -r point; do
    umount -l "$point"
  done
  if grep -qF " $1/" /proc/self/mountinfo; then
    echo "[ERROR] removing the root '$1': expected nothing mounted below it, found a mount; unmount it" >&2
    exit 1
  fi
  rm -rf --one-file-system "$1"
}

mount_system() {
  local dir=$1
  mount -t proc proc "$dir/proc"
  mount --rbind /dev "$dir/dev"
  cp -L /etc/resolv.conf /etc/hosts "$dir/etc/"
}

copy_root() {
  drop_root "$2"
  mkdir -p "$(dirname "$2")"
  cp -a --reflink=auto "$1" "$2"
  mount_system "$2"
}

bind_into() {
  mkdir -p "$1$3"
  mount --bind "$2" "$1$3"
  if [ "${4:-}" = ro ]; then mount -o remount,ro,bind "$1$3"; fi
}

in_root() {
  local dir=$1 name keep=()
  shift
  for name in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_DEFAULT_TIMEOUT; do
    if [ -n "${!name:-}" ]; then keep+=("$name=${!name}"); fi
  done
  chroot "$dir" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 TZ=UTC \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "${keep[@]}" "$@"
}

in_root_offline() {
  local dir=$1
  shift
  unshare --net chroot "$dir" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LANG=C.UTF-8 \
    TZ=UTC PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "$@"
}
