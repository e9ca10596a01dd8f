#!/bin/sh
# Renews the pages that the program writes about itself:  scripts/make_docs.sh build/release/bin/pneuma
set -eu
cd "$(dirname "$0")/.."
"$1" reference > docs/commands.md.tmp
mv docs/commands.md.tmp docs/commands.md
"$1" body reference > docs/body-reference.md.tmp
mv docs/body-reference.md.tmp docs/body-reference.md

# Tables that the program prints stand in a block of code behind a comment with their command.
"$1" body strength | sed 's/ *$//' > docs/strength.tmp
awk '/^<!-- pneuma body strength -->$/ { print; print "```"; while ((getline line < "docs/strength.tmp") > 0) print line; print "```"; old = 2; next }
     old > 0 { if (/^```/) old--; next }
     { print }' docs/muscles.md > docs/muscles.md.tmp
mv docs/muscles.md.tmp docs/muscles.md
rm docs/strength.tmp
