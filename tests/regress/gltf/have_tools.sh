#!/bin/sh
# have_tools.sh <scratch folder>: the Khronos validator and three.js in <scratch folder>/node_modules, or exit 77.
set -eu
folder=$1
here=$(dirname "$0")
mkdir -p "$folder"
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
[ -d "$folder/node_modules/gltf-validator" ] && [ -d "$folder/node_modules/three" ] && exit 0
command -v npm >/dev/null || { echo "skipped: npm is not installed"; exit 77; }
cp "$here/../../tools/package.json" "$folder/"
(cd "$folder" && npm install --no-package-lock --no-audit --no-fund --silent) ||
  { echo "skipped: gltf-validator and three cannot be installed"; exit 77; }
