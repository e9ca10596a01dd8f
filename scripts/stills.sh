#!/bin/sh
# Draws the eight stills of docs/pictures.md, 1920x1080 each: faces, six people, poses, a deep breath.
#
#   scripts/stills.sh [PNEUMA] [FOLDER] [SIZE] [SAMPLES]     default: build/release/bin/pneuma docs/img 1920x1080 16
#
# The walk is clip 02_01 of the CMU collection when PNEUMA_SHARED (default ../shared) holds it, else a stride set by hand.
set -eu
pneuma=${1:-build/release/bin/pneuma}
out=${2:-docs/img}
size=${3:-1920x1080}
samples=${4:-16}
clip=${PNEUMA_SHARED:-$(dirname "$0")/../../shared}/motion/cmu_02_01_walk.bvh
woman="--sex female --height 1.66 --mass 60"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

still() { # name, options...
  name=$1
  shift
  "$pneuma" body render --shading skin --size "$size" --samples "$samples" --quiet --out "$out/$name.jpg" "$@"
}
halves() { # name, options...: from before and behind
  name=$1
  shift
  for view in three-quarter three-quarter-back; do
    "$pneuma" body render --shading skin --size "$half" --samples "$samples" --quiet --view $view --out "$work/$view.png" "$@"
  done
  ffmpeg -loglevel error -y -i "$work/three-quarter.png" -i "$work/three-quarter-back.png" -filter_complex hstack -q:v 2 -update 1 "$out/$name.jpg"
}
half=$(echo "$size" | awk -Fx '{ printf "%dx%d", int($1 / 2), $2 }')

# Faces.
still face_man --close-up head --span 0.27 --view three-quarter --triangles 300000
# shellcheck disable=SC2086
still face_woman --close-up head --span 0.27 --view three-quarter --triangles 300000 $woman

# shellcheck disable=SC2086
still open_eyes --close-up head --span 0.27 --view front --triangles 300000 --eyes open $woman

# Six people at one scale, front and back: panels of a sixth by a half of the picture.
panel=$(echo "$size" | awk -Fx '{ printf "%dx%d", int($1 / 6), int($2 / 2) }')
person() { # number, options...
  number=$1
  shift
  for view in front back; do
    "$pneuma" body render --shading skin --posture standing --span 2.08 --size "$panel" --samples "$samples" --quiet --view $view \
      --out "$work/${view}_$number.png" "$@"
  done
}
person 1 --height 1.75 --mass 73
# shellcheck disable=SC2086
person 2 $woman
person 3 --height 1.95 --mass 88
person 4 --sex female --height 1.50 --mass 50
person 5 --mass 58
person 6 --sex female --height 1.68 --mass 100
for view in front back; do
  ffmpeg -loglevel error -y -i "$work/${view}_%d.png" -frames:v 1 -vf tile=6x1 "$work/row_$view.png"
done
ffmpeg -loglevel error -y -i "$work/row_front.png" -i "$work/row_back.png" -filter_complex vstack -q:v 2 -update 1 "$out/six_people.jpg"

# Poses.
halves raised_arm --joint shoulder_l.abduction=150 --joint shoulder_r.abduction=-7 --joint forearm_r.pronation=60
halves knee_bend --joint hip.flexion=95 --joint knee.flexion=115 --joint ankle.flexion=20 --joint spine.flexion=20 \
  --joint shoulder.flexion=75 --joint forearm.pronation=100
if [ -f "$clip" ]; then
  halves walk --motion "$clip" --at 1.4
else
  halves walk --joint hip_l.flexion=28 --joint knee_l.flexion=8 --joint hip_r.flexion=-12 --joint knee_r.flexion=25 \
    --joint shoulder_r.flexion=22 --joint shoulder_l.flexion=-18 --joint forearm.pronation=60
fi

# A deep breath: the body full, the outline empty.
"$pneuma" breathe --style deep --seconds 12 --no-film --size "$size" --out "$work/breath" --quiet
ffmpeg -loglevel error -y -i "$work/breath/breath.png" -q:v 2 -update 1 "$out/deep_breath.jpg"
