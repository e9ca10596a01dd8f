#!/bin/sh
# run.sh session|page|act_page|own_breath_page|served_page <studio folder> <tools folder> [native session or program]. Exit 77 (skipped) when something cannot be had.
set -eu
what=$1
studio=$2
tools=$3
here=$(dirname "$0")
[ -f "$studio/studio.html" ] || { echo "skipped: the studio was not built"; exit 77; }
if [ "$what" = session ]; then
  "$4" "$studio/body.pnb" > "$studio/native.json"
  command -v emcc > /dev/null && EMSCRIPTEN=$(emcc --version | sed -n '1s/.*) \([0-9.]*\).*/\1/p') && export EMSCRIPTEN
  exec node "$here/session.mjs" "$here/../../../build/wasm" "$studio" "$studio/native.json"
fi
chromium=$(command -v chromium || command -v chromium-browser) || { echo "skipped: chromium is not installed"; exit 77; }
"$here/../../tools/have_tool.sh" "$tools" playwright-core
"$here/../../tools/have_tool.sh" "$tools" gltf-validator
exec node "$here/$what.mjs" "$tools" "$chromium" "$studio" "${4:-}"
