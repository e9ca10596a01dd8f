#!/bin/sh
# Draws docs/img/flesh_poses.jpg: elbow 130, shoulder 150 and a knee bend by flesh of the preview level from four sides, contours and linear blend skinning beside the first;
# and docs/img/flesh_default.jpg: elbow and shoulder by flesh of the default level. Elbows have half active flexors.
#
#   scripts/flesh_pictures.sh [PNEUMA] [FOLDER] [LEVEL...]     default: build/release/bin/pneuma docs/img preview default
set -eu
pneuma=${1:-build/release/bin/pneuma}
out=${2:-docs/img}
shift $(($# < 2 ? $# : 2))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pose() { # name, first view, options...
  name=$1
  view=$2
  shift 2
  "$pneuma" flesh pose --size 300x390 --fps 1 --quiet --view "$view" --out "$work/$name" "$@"
}
elbow() { # options...
  pose elbow right,front,back,left --joint elbow_r.flexion=130 --activation biceps_brachii_r=0.5 --activation brachialis_r=0.5 --activation brachioradialis_r=0.5 "$@"
}
shoulder() {
  pose shoulder front,back,right,left --joint shoulder_r.abduction=150 "$@"
}
stack() { # picture, poses...
  picture=$1
  shift
  inputs=
  for name in "$@"; do inputs="$inputs -i $work/$name/pose.png"; done
  # shellcheck disable=SC2086 # one word for each input
  ffmpeg -loglevel error -y $inputs -filter_complex "vstack=$#" -q:v 2 -update 1 "$out/$picture"
  rm -rf "${work:?}"/*
}

[ $# -gt 0 ] || set -- preview default
for level in "$@"; do
  case $level in
  preview)
    elbow --flesh-level preview --beside
    shoulder --flesh-level preview --beside
    pose knee right,front,back,left --joint hip.flexion=95 --joint knee.flexion=115 --flesh-level preview --beside
    stack flesh_poses.jpg elbow shoulder knee
    ;;
  default)
    elbow --flesh-level default
    shoulder --flesh-level default
    stack flesh_default.jpg elbow shoulder
    ;;
  *)
    echo "level '$level' is not known: preview, default" >&2
    exit 2
    ;;
  esac
done
