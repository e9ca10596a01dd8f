#!/bin/sh
# run_validator.sh <example_glb program> <scratch folder>
# Exit 77 (skipped) when node or the validator cannot be had.
set -eu
program=$1
folder=$2
here=$(dirname "$0")
mkdir -p "$folder"
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
if [ ! -d "$folder/node_modules/gltf-validator" ]; then
  command -v npm >/dev/null || { echo "skipped: npm is not installed"; exit 77; }
  cp "$here/../../tools/package.json" "$folder/"
  (cd "$folder" && npm install --no-package-lock --no-audit --no-fund --silent) ||
    { echo "skipped: gltf-validator cannot be installed"; exit 77; }
fi
"$program" "$folder/validated.glb"
node "$here/validate.mjs" "$folder" "$folder/validated.glb"
