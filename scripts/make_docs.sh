#!/bin/sh
# Renews the pages that the program writes about itself:  scripts/make_docs.sh build/release/bin/pneuma
set -eu
cd "$(dirname "$0")/.."
"$1" reference > docs/commands.md.tmp
mv docs/commands.md.tmp docs/commands.md
"$1" body reference > docs/body-reference.md.tmp
mv docs/body-reference.md.tmp docs/body-reference.md
