#!/bin/sh
# Renders docs/img/figure-skin.png: the skin of the layered figure at far joint angles. Rows: shoulder at 120, elbow at 130,
# hip and knee at 90 degrees; columns: front, right, back at a slant.
#   scripts/figure_pictures.sh PNEUMA
set -eu
pneuma=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$pneuma" reproduce nedel2000 --quiet --out "$work/run" > /dev/null
ffmpeg -loglevel error -y -i "$work/run/skin_shoulder_120.png" -i "$work/run/skin_elbow_130.png" \
  -i "$work/run/skin_hip_knee_90.png" -filter_complex "vstack=inputs=3,scale=1400:-1" -update 1 \
  "$(dirname "$0")/../docs/img/figure-skin.png"
