#!/bin/sh
# Renders the pictures of docs/body.md: layers of the default man, and the skin of six people.
#
#   scripts/body_pictures.sh [PNEUMA] [FOLDER]      default: build/release/bin/pneuma docs/img
set -eu
pneuma=${1:-build/release/bin/pneuma}
out=${2:-docs/img}
views=front,left,back

"$pneuma" body render --layers skeleton,muscles,skin --view $views --size 320x660 \
  --out "$out/body_layers.png" --quiet

person() { # name, options...
  name=$1
  shift
  "$pneuma" body render --layers skin --view $views --size 200x430 \
    --out "$out/body_$name.png" --quiet "$@"
}
person male
person female --sex female --height 1.65 --mass 60
person tall --height 1.95 --mass 88
person short --sex female --height 1.50 --mass 50
person thin --mass 58
person heavy --mass 105
