#!/bin/sh
# run_blender.sh <example_glb program> <scratch folder>
# Exit 77 (skipped) when Blender is not installed.
set -eu
program=$1
folder=$2
here=$(dirname "$0")
mkdir -p "$folder"
command -v blender >/dev/null || { echo "skipped: blender is not installed (make deps-extra)"; exit 77; }
"$program" "$folder/blender.glb" "$folder/blender.pc2" >"$folder/facts.json"
blender --background --factory-startup --python-exit-code 1 \
  --python "$here/check_in_blender.py" -- "$folder/blender.glb" "$folder/facts.json" "$folder/blender.pc2"
