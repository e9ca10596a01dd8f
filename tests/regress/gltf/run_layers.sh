#!/bin/sh
# run_layers.sh <pneuma program> <scratch folder> <docs/game-assets.md>
# Assets and layered files of live and breathe before validator, three.js and (where it is installed) Blender.
# Exit 77 (skipped) when node or its packages cannot be had.
set -eu
program=$1
tools=$2
page=$3
here=$(dirname "$0")
for package in gltf-validator three; do "$here/../../tools/have_tool.sh" "$tools" "$package"; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" live --joint shoulder_l.abduction=40 --seconds 9 --fps 10 --asset --no-pictures --out "$work/live" --quiet
"$program" breathe --style deep --seconds 11 --fps 10 --asset --no-pictures --out "$work/breathe" --quiet
files="$work/live/asset.glb $work/live/living.glb $work/breathe/asset.glb $work/breathe/breath.glb"
for glb in $files; do node "$here/validate.mjs" "$tools" "$glb"; done
node "$here/check_product_in_three.mjs" "$tools" "$page" $files
command -v blender >/dev/null || { echo "blender is not installed (make deps-extra): not asked"; exit 0; }
for run in live breathe; do
  blender --background --factory-startup --python-exit-code 1 \
    --python "$here/check_product_in_blender.py" -- "$work/$run/asset.glb" "$page"
done
