#!/bin/sh
# The main job with no arguments:  scripts/demo.sh build/release/bin/pneuma
# Lets a person breathe quietly and ends by saying what was written and how to look at it.
set -eu
program=$1
out=out/demo
"$program" breathe --out "$out"
cat <<END

Wrote $out: report.html (open it in a browser), breath.mp4, breath.glb (Blender: File > Import > glTF 2.0).
Try next:  $program breathe --style deep --sex female --height 163 --out out/deep
Studio:    make studio && xdg-open build/studio/studio.html    (a living body in your browser; docs/studio.md)
Help:      $program --help
END
