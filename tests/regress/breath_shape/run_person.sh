#!/bin/sh
# run_person.sh <validator|three|blender> <example_person program> <scratch folder> <examples/breath_shape>
# A baked person in three.js and Blender, by the examples. Exit 77 (skipped) when a tool cannot be had.
set -eu
judge=$1
program=$2
tools=$3
examples=$4
here=$(dirname "$0")
case $judge in
  validator) "$here/../../tools/have_tool.sh" "$tools" gltf-validator ;;
  three) "$here/../../tools/have_tool.sh" "$tools" three ;;
  blender) command -v blender >/dev/null || { echo "skipped: blender is not installed (make deps-extra)"; exit 77; } ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$work"
case $judge in
  validator) node "$here/../gltf/validate.mjs" "$tools" "$work/perform.glb" ;;
  three) node "$here/check_in_three.mjs" "$tools" "$examples" "$work" ;;
  blender)
    PYTHONDONTWRITEBYTECODE=1 blender --background --factory-startup --enable-autoexec --python-exit-code 1 \
      --python "$here/check_in_blender.py" -- "$examples" "$work"
    ;;
esac
