#!/bin/sh
# run_newest_mujoco.sh <pneuma program> <scratch folder> [verify_body_mjcf [articulation...]]: exported bodies in the newest
# MuJoCo, which npm carries; with the test program, which writes our torques, they are compared. A minute of every articulation
# named; of none named a minute of small ones and five seconds of a large one. Exit 77 (skipped) when node or MuJoCo cannot be had.
set -eu
program=$1
folder=$2
tests=${3:-}
here=$(dirname "$0")
"$here/../../tools/have_tool.sh" "$folder" @mujoco/mujoco
few="torso figure-deep"
many="upper-body"
if [ $# -gt 3 ]; then
  shift 3
  few="$*"
  many=""
fi
for a in $few $many; do
  "$program" body export --quiet --format mjcf --articulation "$a" --out "$folder/$a.xml"
done
rm -f "$folder"/*.torques.json
[ -z "$tests" ] || PNEUMA_MJCF_TORQUES=$folder "$tests" --gtest_brief=1 --gtest_filter='*TorquesOfAllMuscles*' >&2
node "$here/newest_mujoco.mjs" "$folder" 60 $few
[ -z "$many" ] || node "$here/newest_mujoco.mjs" "$folder" 5 $many
