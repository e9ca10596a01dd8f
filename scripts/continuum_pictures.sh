#!/bin/sh
# continuum_pictures.sh <pneuma program> <bench_continuum program> <scratch folder>
# Renders the pictures of docs/continuum-muscle.md into docs/img. Takes some minutes; a scratch folder that holds a finished
# reproduction (pneuma reproduce dobsik --out FOLDER/dobsik) is not computed again.
set -eu
program=$1
bench=$2
folder=$3
images=$(dirname "$0")/../docs/img
mkdir -p "$folder"
[ -e "$folder/dobsik/report.html" ] || "$program" reproduce dobsik --out "$folder/dobsik" --resume
"$program" muscle --preset biceps --curl 0:115 --excite 0.3:0.3,0.6:0.8,3:0.3 --seconds 4 --no-video --out "$folder/curl" --quiet
PNEUMA_BENCH_JSON="$folder/figures.json" "$bench" --benchmark_filter=none || true
cp "$folder/curl/muscle.png" "$images/continuum_curl.png"
cp "$folder/dobsik/fig3_bricks.png" "$images/continuum_bricks.png"
cp "$folder/dobsik/fig3_resolution.svg" "$images/continuum_volume.svg"
cp "$folder/dobsik/integrators.svg" "$images/continuum_integrators.svg"
cp "$folder/dobsik/energy_drift.svg" "$images/continuum_energy.svg"
cp "$folder/continuum_scaling.png" "$images/continuum_scaling.png"
