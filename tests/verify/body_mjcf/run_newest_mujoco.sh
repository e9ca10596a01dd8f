#!/bin/sh
# run_newest_mujoco.sh <pneuma program> <scratch folder>: exported bodies in the newest MuJoCo, which npm carries.
# Exit 77 (skipped) when node or MuJoCo cannot be had.
set -eu
program=$1
folder=$2
here=$(dirname "$0")
"$here/../../tools/have_tool.sh" "$folder" @mujoco/mujoco
for a in torso figure-deep upper-body; do
  "$program" body export --quiet --format mjcf --articulation $a --out "$folder/$a.xml"
done
node "$here/newest_mujoco.mjs" "$folder" 60 "$folder/torso.xml" "$folder/figure-deep.xml"
node "$here/newest_mujoco.mjs" "$folder" 5 "$folder/upper-body.xml"
