#!/bin/sh
# Draws docs/img/flesh_poses.png: three poses by flesh, by contours and by linear blend skinning, then the flesh from three more sides.
#
#   scripts/flesh_pictures.sh [PNEUMA] [FOLDER] [LEVEL]     default: build/release/bin/pneuma docs/img default
set -eu
pneuma=${1:-build/release/bin/pneuma}
out=${2:-docs/img}
level=${3:-default}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { # name, options...
  name=$1
  shift
  "$pneuma" flesh pose --flesh-level "$level" --skin-triangles 80000 --beside --size 300x400 --out "$work/$name" --quiet "$@"
}
row elbow --joint elbow_r.flexion=130 --view right,front,back,left
row shoulder --joint shoulder_r.abduction=150 --view front,back,right,left
row knee --joint hip.flexion=95 --joint knee.flexion=115 --joint ankle.flexion=20 --joint spine.flexion=20 --view right,three-quarter,back,front
ffmpeg -loglevel error -y -i "$work/elbow/pose.png" -i "$work/shoulder/pose.png" -i "$work/knee/pose.png" -filter_complex vstack=inputs=3 \
  -update 1 "$out/flesh_poses.png"
