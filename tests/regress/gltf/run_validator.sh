#!/bin/sh
# run_validator.sh <example_glb program> <scratch folder>
# Exit 77 (skipped) when node or the validator cannot be had.
set -eu
program=$1
folder=$2
here=$(dirname "$0")
"$here/../../tools/have_tool.sh" "$folder" gltf-validator
"$program" "$folder/validated.glb"
node "$here/validate.mjs" "$folder" "$folder/validated.glb"
