#!/bin/sh
# Draws docs/img/flesh_poses.jpg: elbow 130, shoulder 150 and a knee bend by flesh from four sides, contours and linear blend skinning beside the first.
#
#   scripts/flesh_pictures.sh [PNEUMA] [FOLDER] [LEVEL]     default: build/release/bin/pneuma docs/img preview
set -eu
pneuma=${1:-build/release/bin/pneuma}
out=${2:-docs/img}
level=${3:-preview}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pose() { # name, first view, joints...
  name=$1
  view=$2
  shift 2
  "$pneuma" flesh pose --flesh-level "$level" --beside --size 300x390 --fps 1 --quiet --view "$view" --out "$work/$name" "$@"
}
pose elbow right,front,back,left --joint elbow_r.flexion=130 \
  --activation biceps_brachii_r=0.5 --activation brachialis_r=0.5 --activation brachioradialis_r=0.5
pose shoulder front,back,right,left --joint shoulder_r.abduction=150
pose knee right,front,back,left --joint hip.flexion=95 --joint knee.flexion=115
ffmpeg -loglevel error -y -i "$work/elbow/pose.png" -i "$work/shoulder/pose.png" -i "$work/knee/pose.png" -filter_complex vstack=3 -q:v 2 -update 1 "$out/flesh_poses.jpg"
