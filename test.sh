#!/bin/sh
# Installs what is missing, builds Pneuma and runs all its tests.
set -eu
cd "$(dirname "$0")"
if [ "${CI:-}" = true ]; then
  scripts/deps.sh test extra python
else
  scripts/deps.sh test
fi
exec make --no-print-directory test
