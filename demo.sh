#!/bin/sh
# Installs what is missing, builds Pneuma and runs its main job with no arguments.
set -eu
cd "$(dirname "$0")"
scripts/deps.sh build
exec make --no-print-directory demo
