#!/bin/sh
# run_all.sh <folder of the fuzz targets> [seconds each]
# Runs every target from its seed corpus. New inputs are collected beside the targets, never in the
# source tree. Fails on the first crash, hang (10 s) or more than 1 GB of memory.
set -eu
folder=$1
seconds=${2:-60}
here=$(dirname "$0")
for target in "$folder"/fuzz_*; do
  [ -x "$target" ] && [ ! -d "$target" ] || continue
  name=$(basename "$target")
  found="$folder/found/$name"
  mkdir -p "$found"
  echo "== $name, $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=16384 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$found/crash-" "$found" "$here/corpus/${name#fuzz_}"
done
