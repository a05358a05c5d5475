#!/usr/bin/env bash
# Runs scripts/soak.py under valgrind, a few rounds and many: no error, and no more lost memory after many than after few.
#
#   scripts/soak.sh STAGE [PYTHON]
#
# STAGE is a folder usable as PYTHONPATH (scripts/dev_build.sh) or "" for the package that PYTHON has installed.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
cd "$(dirname "$0")/.."
stage=$1
python=${2:-${PYTHON:-python3}}
python=$("$python" -c 'import sys; print(sys.executable)')
[ -z "$stage" ] || export PYTHONPATH=$stage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The interpreter's own allocator would hide errors from valgrind.
run() {
  PYTHONMALLOC=malloc valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=none \
    --error-exitcode=9 --num-callers=25 --log-file="$work/$1.log" "$python" scripts/soak.py "$1" >"$work/$1.out"
  cat "$work/$1.out"
}
# Bytes definitely and indirectly lost.
lost() {
  sed -nE 's/.* ([0-9,]+) (\([0-9,]+ direct, ([0-9,]+) indirect\) )?bytes in [0-9,]+ blocks are definitely lost.*/\1/p' "$work/$1.log" |
    tr -d , | awk '{ sum += $1 } END { print sum + 0 }'
}

failed=0
for rounds in 1 11; do
  run $rounds || { echo "valgrind found errors:"; head -60 "$work/$rounds.log"; failed=1; }
done
few=$(lost 1)
many=$(lost 11)
echo "definitely lost: $few bytes after 1 round, $many after 11"
if [ "$many" -gt "$few" ]; then
  grep -A 25 'definitely lost' "$work/11.log" | head -80
  failed=1
fi
exit $failed
