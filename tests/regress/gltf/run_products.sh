#!/bin/sh
# run_products.sh <pneuma program> <scratch folder>
# The GLB of every verb that writes one before the Khronos validator. Exit 77 (skipped) when node or the validator cannot be had.
set -eu
program=$1
folder=$2
here=$(dirname "$0")
"$here/../../tools/have_tool.sh" "$folder" gltf-validator
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" body export --articulation figure --format glb --out "$work/body.glb" --quiet
"$program" move --seconds 0.2 --activations random --no-pictures --out "$work/move" --quiet
"$program" move --joint r_elbow_flexion=90 --bellies --no-pictures --out "$work/bellies" --quiet
"$program" muscle --grid 11x3x3 --seconds 0.3 --no-video --out "$work/muscle" --quiet
"$program" muscle --preset biceps --curl 0:90 --seconds 0.8 --no-video --out "$work/curl" --quiet
"$program" breathe --seconds 4 --fps 10 --no-pictures --out "$work/breathe" --quiet
failed=0
for glb in "$work/body.glb" "$work"/*/*.glb; do
  node "$here/validate.mjs" "$folder" "$glb" || failed=1
done
exit $failed
