#!/bin/sh
# Renders docs/img/motion_clips.png: the figure in the middle of a stride of a walk and of a run, and seated.
#   scripts/motion_pictures.sh PNEUMA FOLDER_WITH_THE_CLIPS
set -eu
pneuma=$1 clips=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
still() { # name, clip, time of the still [s]
  "$pneuma" move --motion "$clips/$2" --still "$3" --no-scene --quiet --out "$work/$1"
}
still walk cmu_02_01_walk.bvh 1.4
still run cmu_09_01_run.bvh 0.5
still seated cmu_13_01_sit_stand.bvh 5.8
ffmpeg -loglevel error -y -i "$work/walk/still.png" -i "$work/run/still.png" -i "$work/seated/still.png" \
  -filter_complex hstack=inputs=3 -update 1 "$(dirname "$0")/../docs/img/motion_clips.png"
