#!/bin/sh
# Builds the studio: studio.sh PNEUMA [OUT]. PNEUMA is the program, OUT the page (build/studio/studio.html), which holds all it needs.
# Needs emscripten (Debian's 3.1.6 does) and npm; says which one is missing and ends with 77.
set -eu
cd "$(dirname "$0")/.."
pneuma=$1
out=${2:-build/studio/studio.html}
command -v emcmake >/dev/null || { echo "studio: emscripten is not installed (scripts/deps.sh extra)"; exit 77; }
command -v npm >/dev/null || { echo "studio: npm is not installed"; exit 77; }
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}" # where Debian's emscripten looks for its JavaScript tools

[ -f build/wasm/build.ninja ] || emcmake cmake -S apps/studio/wasm -B build/wasm -G Ninja > /dev/null
cmake --build build/wasm

folder=$(dirname "$out")
mkdir -p "$folder/web"
"$pneuma" body compile --quiet --out "$folder/body.pnb"
cp apps/studio/package.json apps/studio/package-lock.json apps/studio/.npmrc apps/studio/build.mjs "$folder/web/"
here=$(pwd)
case $out in /*) page=$out ;; *) page=$here/$out ;; esac
case $folder in /*) ;; *) folder=$here/$folder ;; esac
cd "$folder/web"
# Fetched once, and again when the list changes.
if ! cmp -s package-lock.json node_modules/.studio-lock; then
  npm ci --ignore-scripts --no-audit --no-fund --prefer-offline > /dev/null || { echo "studio: npm could not fetch its packages"; exit 77; }
  cp package-lock.json node_modules/.studio-lock
fi
node build.mjs "$here/apps/studio/src" "$here/build/wasm" "$folder/body.pnb" "$page"
