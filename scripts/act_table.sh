#!/bin/sh
# Prints the table of docs/control.md:  scripts/act_table.sh build/release/bin/pneuma [folder]
# Every exercise of `pneuma act` from beginning to end: largest error at the recorded frames, its joint, joints out of strength.
set -eu
program=$1
folder=${2:-out/act_table}
echo "| exercise | seconds | largest error [rad] | joint | out of strength |"
echo "|---|---|---|---|---|"
for e in curl head-turn trunk-bend shrug reach breathe-ribs pectoral-dance hold; do
  rm -rf "$folder/$e"
  "$program" act "$e" --no-film --json --out "$folder/$e" | python3 -c '
import json, sys
j = json.load(sys.stdin)
tired = ", ".join(j["out_of_strength"]) or "none"
print("| `%s` | %.1f | %.4f | %s | %s |" % (sys.argv[1], j["seconds"], j["largest_error_rad"], j["worst_joint"], tired))' "$e"
done
