#!/bin/sh
# Runs every fuzz target for a number of seconds:  scripts/fuzz.sh BUILD_DIR SECONDS
# Crashes, hangs (over 10 s on one input) and allocations over 2 GB fail; the input is kept in BUILD_DIR.
set -eu
build=$1
seconds=$2
corpus=$(dirname "$0")/../tests/fuzz/corpus
status=0
for target in "$build"/bin/fuzz_*; do
  [ -x "$target" ] || continue
  name=$(basename "$target" | sed 's/^fuzz_//')
  work=$(mktemp -d)
  seeds=""
  [ -d "$corpus/$name" ] && seeds="$corpus/$name"
  printf '%s: ' "$name"
  # shellcheck disable=SC2086  # no seeds, no argument
  if "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
      -artifact_prefix="$build/crash-$name-" "$work" $seeds > "$build/fuzz-$name.log" 2>&1; then
    grep -E '^Done' "$build/fuzz-$name.log" | tail -1
  else
    echo "FAILED, see $build/fuzz-$name.log"
    status=1
  fi
  rm -rf "$work"
done
exit $status
