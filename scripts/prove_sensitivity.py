#!/usr/bin/env python3
"""prove_sensitivity.py PNEUMA: how far the figures that `pneuma breathe` prints depend on step, mesh and seed.

Writes proofs/prove-sensitivity.json: each figure at the defaults and the change in percent with a quarter of the step, with half of every
mesh length and with another seed, and the greatest pressures of `--manoeuvre` (which has no seed). What is small beside the figure's own scale (SMALLEST) counts against that scale.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from proof import Proof

pneuma = sys.argv[1]
# Seconds. Two rounds of a cough: figures are of the later half, which is a quiet breath if there is but one.
STYLES = {"casual": 16, "deep": 15, "panting": 8, "cough": 10.2}
CHANGES = {"step": ["--step", "1"], "mesh": ["--refine", "2"], "seed": ["--seed", "7"]}
MANOEUVRES = ("mip", "mep")
SMALLEST = {"ml": 10, "pct": 5, "mm": 1, "pa": 50, "l_s": 0.1}
LIMIT = 2  # percent


def breathe(style, options):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "breath.csv"
        seconds = str(STYLES[style])
        common = [pneuma, "breathe", "--style", style, "--seconds", seconds, *options]
        found = json.loads(subprocess.run([*common, "--no-output", "--json"], check=True, capture_output=True, text=True).stdout)
        subprocess.run([*common, "--csv", table], check=True, capture_output=True)
        rows = list(csv.reader(line for line in table.read_text().splitlines() if not line.startswith("#")))
    names = rows[0]

    def column(word):
        at = next(i for i, name in enumerate(names) if name.startswith(word))
        return [float(row[at]) for row in rows[1:]]

    keys = ("tidal_ml", "rib_cage_share_pct", "sternum_forward_mm", "sternum_up_mm", "dome_mm", "belly_mm", "chest_circumference_mm",
            "abdominal_circumference_mm", "gut_pressure_pa", "pleural_pressure_pa")
    out = {key: found[key] for key in keys}
    for key in ("pump_deg", "bucket_deg"):
        out.update({f"{key}_rib_{rib}": found[key][rib - 1] for rib in (3, 7)})
    flow = column("flow")
    out["greatest_flow_out_l_s"] = max(abs(min(flow)), 0)
    return out


def examine(manoeuvre, options):
    command = [pneuma, "breathe", "--manoeuvre", manoeuvre, "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["figures"][manoeuvre]["value"]


def change(key, before, after):
    scale = max(abs(before), SMALLEST.get(key.rsplit("_", 1)[-1], 0.5))
    if key.endswith("l_s"):
        scale = max(abs(before), SMALLEST["l_s"])
    return 100 * (after - before) / scale


stamp = Proof("prove-sensitivity", pathlib.Path(pneuma).parents[1], [pneuma])
proof = {"limit_percent": LIMIT, "styles": {}}
worst = []
for style in STYLES:
    base = breathe(style, [])
    result = {"figures": {k: round(v, 4) for k, v in base.items()}}
    for name, options in CHANGES.items():
        other = breathe(style, options)
        result[name + "_percent"] = {k: round(change(k, base[k], other[k]), 2) for k in base}
        worst += [(abs(v), f"{style}, {name}, {k}") for k, v in result[name + "_percent"].items()]
    proof["styles"][style] = result
proof["greatest_pressures"] = {}
for manoeuvre in MANOEUVRES:
    key = manoeuvre + "_cmh2o"
    base = examine(manoeuvre, [])
    result = {"figure": round(base, 4)}
    for name in ("step", "mesh"):
        result[name + "_percent"] = round(change(key, base, examine(manoeuvre, CHANGES[name])), 2)
        worst.append((abs(result[name + "_percent"]), f"{name}, {key}"))
    proof["greatest_pressures"][manoeuvre] = result
worst.sort(reverse=True)
proof["beyond_limit"] = [f"{text}: {size:.2f} %" for size, text in worst if size > LIMIT]
proof["worst"] = f"{worst[0][1]}: {worst[0][0]:.2f} %"
stamp.write(proof)
print(f"{len(worst)} changes, {len(proof['beyond_limit'])} of them beyond {LIMIT} %; the largest is {proof['worst']}")
