#!/bin/sh
# run_asset.sh <validator|three|blender> <example_asset program> <scratch folder> <docs/game-assets.md>
# A game asset before an outside judge. Exit 77 (skipped) when the judge cannot be had.
set -eu
judge=$1
program=$2
tools=$3
page=$4
here=$(dirname "$0")
if [ "$judge" = blender ]; then
  command -v blender >/dev/null || { echo "skipped: blender is not installed (make deps-extra)"; exit 77; }
else
  for package in gltf-validator three; do "$here/../../tools/have_tool.sh" "$tools" "$package"; done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$work"
case $judge in
  validator)
    node "$here/validate.mjs" "$tools" "$work/body.glb"
    node "$here/validate.mjs" "$tools" "$work/plain.glb"
    ;;
  three) node "$here/check_in_three.mjs" "$tools" "$work" "$page" ;;
  blender)
    blender --background --factory-startup --python-exit-code 1 \
      --python "$here/check_asset_in_blender.py" -- "$work" "$page"
    ;;
esac
