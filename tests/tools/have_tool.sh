#!/bin/sh
# have_tool.sh <scratch folder> <package>: a package of package.json in <scratch folder>/node_modules, or exit 77.
set -eu
folder=$1
package=$2
here=$(dirname "$0")
mkdir -p "$folder"
command -v node >/dev/null || { echo "skipped: node is not installed"; exit 77; }
[ -d "$folder/node_modules/$package" ] && exit 0
command -v npm >/dev/null || { echo "skipped: npm is not installed"; exit 77; }
cp "$here/package.json" "$folder/"
(cd "$folder" && npm install --no-package-lock --no-audit --no-fund --silent) ||
  { echo "skipped: $package cannot be installed"; exit 77; }
