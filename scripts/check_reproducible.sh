#!/usr/bin/env bash
# Builds the wheel twice and compares the bytes: two builds of one commit are the same file. The second build compiles
# everything again, whatever a compiler cache knows. Says which files differ if they do; exit code 1 then.
#
#   scripts/check_reproducible.sh [option of build_wheel.sh: --manylinux [--arch ARCH]]
#
# Environment: that of scripts/build_wheel.sh.
set -euo pipefail
case ${1:-} in '' | --manylinux) ;; *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;; esac
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/scripts/build_wheel.sh" "$work/first" "$@"
# A file system gives files other times the second time.
sleep 2
CCACHE_RECACHE=1 "$root/scripts/build_wheel.sh" "$work/second" "$@"

first=$(echo "$work"/first/*.whl)
second=$(echo "$work"/second/*.whl)
if [ "$(basename "$first")" = "$(basename "$second")" ] && cmp -s "$first" "$second"; then
  echo "same bytes: $(basename "$first"), sha256 $(sha256sum "$first" | cut -d' ' -f1)"
  exit 0
fi
python3 - "$first" "$second" <<'PYTHON'
import sys
import zipfile

first, second = (zipfile.ZipFile(path) for path in sys.argv[1:])
print("[ERROR] building twice: expected the same bytes, found two wheels that differ", file=sys.stderr)
entries = [{info.filename: info for info in wheel.infolist()} for wheel in (first, second)]
if list(entries[0]) != list(entries[1]):
    print("the order or the set of files differs", file=sys.stderr)
for name in entries[0].keys() & entries[1].keys():
    one, other = entries[0][name], entries[1][name]
    for what in ("CRC", "date_time", "external_attr", "compress_size"):
        if getattr(one, what) != getattr(other, what):
            print(f"{name}: {what}: {getattr(one, what)}, {getattr(other, what)}", file=sys.stderr)
PYTHON
exit 1
