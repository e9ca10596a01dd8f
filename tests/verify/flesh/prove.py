#!/usr/bin/env python3
"""prove.py BUILD [LEVEL...]: flesh on the default man in poses, gait and breath, by the program's own commands; proofs/prove-flesh.json.

Levels: preview (the default) and default; JOBS cases at a time. Each case is kept and not measured again by the same program; one that was stopped goes on
with its last frame; --collect writes what there is so far. Clips are those of PNEUMA_SHARED (default ../shared); without them walk and run are left out and named.
"""
import concurrent.futures
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from proof import Proof

FLEXORS = [word for muscle in ("biceps_brachii_r", "brachialis_r", "brachioradialis_r") for word in ("--activation", f"{muscle}=0.5")]
CLIPS = pathlib.Path(os.environ.get("PNEUMA_SHARED", ROOT.parent / "shared")) / "motion"


def keys(**joints):
    """Key poses a second apart, even from rest to the angles given: a list of them for each joint [degrees]."""
    names = list(joints)
    rows = zip(*joints.values())
    return "\n".join([",".join(["time", *[n.replace("__", ".") for n in names]]), *[",".join(map(str, [t, *row])) for t, row in enumerate(rows)]]) + "\n"


def even(last, parts):
    return [round(last * k / parts, 3) for k in range(parts + 1)]


POSES = {
    "elbow 0-130, relaxed": (keys(elbow_r__flexion=even(130, 4)), []),
    "elbow 0-130, flexors half active": (keys(elbow_r__flexion=even(130, 4)), FLEXORS),
    "shoulder abduction 0-150": (keys(shoulder_r__abduction=even(150, 5)), []),
    "trunk bent forwards 0-45": (keys(spine__flexion=even(45, 3)), []),
    "hip 0-95, knee 0-115": (keys(hip__flexion=even(95, 4), knee__flexion=even(115, 4)), []),
}
LIVES = {
    "deep breath": ["--breath", "deep", "--seconds", "13", "--fps", "1"],
    "walk, 1 s": ["--motion", CLIPS / "cmu_02_01_walk.bvh", "--breath", "none", "--seconds", "1", "--fps", "6"],
    "run, 0.7 s": ["--motion", CLIPS / "cmu_09_01_run.bvh", "--breath", "none", "--seconds", "0.7", "--fps", "9"],
}


def rows_of(file):
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    return [{key.split(" [")[0]: float(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def measure(pneuma, folder, words):
    """One run of the program; what it says of its flesh. A pose that cannot be solved is part of the answer."""
    command = [pneuma, *map(str, words), "--out", folder, "--no-pictures", "--quiet"]
    done = subprocess.run([*command, "--resume"] if folder.exists() else command, capture_output=True, text=True)
    if done.returncode not in (0, 1) or not (folder / "summary.json").exists():
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
    summary = json.loads((folder / "summary.json").read_text())
    found = {key: value for key, value in summary.items() if key.startswith("flesh_") or key in ("girths_mm", "fronts_mm", "tidal_ml")}
    found["frames"] = rows_of(folder / "flesh.csv")
    if done.returncode:
        found["stopped"] = done.stderr.strip().splitlines()[-1]
    shutil.rmtree(folder)
    return rounded(found)


def rounded(value):
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def table(results):
    lines = ["| pose | level, tissue | frames | inverted, least J | flesh % | worst large muscle % | gap to bones, worst mm | "
             "bones under the skin mm | Newton steps; CPU s |", "|---|---|---|---|---|---|---|---|---|"]
    for name, r in results.items():
        frames = r["frames"]
        cost = [f["cpu"] for f in frames]
        steps = [f["newton"] for f in frames]
        lines.append(f"| {r['pose']} | {r['level']}, {r['tissue']} | {len(frames)}{', then stopped' if 'stopped' in r else ''} | "
                     f"{r['flesh_inverted']}, {r['flesh_least_j']:.2f} | {r['flesh_volume_pct']:+.3f} | "
                     f"{r['flesh_muscle_volume_pct']:+.2f} {r['flesh_worst_muscle'].replace('_', ' ')} | "
                     f"{r['flesh_bone_gap_mm']:.2f}, {r['flesh_widest_gap_mm']:.1f} | {r['flesh_bone_depth_mm']:.1f} {r['flesh_shallowest_bone'].replace('_', ' ')} | "
                     f"{min(steps[1:], default=0):.0f} .. {max(steps[1:], default=0):.0f}; {min(cost[1:], default=0):.1f} .. {max(cost[1:], default=0):.1f} |")
    return "\n".join(lines)


def cases(proof, level, tissue, skipped):
    """Words of each case at one level and with one tissue."""
    flesh = ["--flesh-level", level, "--flesh-tissue", tissue]
    found = {}
    for name, (text, more) in POSES.items():
        file = proof.folder / f"{name.replace(' ', '_').replace(',', '')}.csv"
        file.write_text(text)
        found[name] = ["flesh", "pose", "--poses", file, "--fps", "1", *more, *flesh]
    for name, words in LIVES.items():
        if "--motion" in words and not words[1].exists():
            skipped.add(f"{name}: no {words[1].name} in {CLIPS}")
        else:
            found[name] = ["live", *words, "--flesh", *flesh]
    return found


def solve(proof, pneuma, name, level, tissue, words, collect):
    """A case, and without contact of skin and skin too when it is not reached with it. To collect is to leave out what is not measured."""
    rows = {}
    for contact in (True, False):
        pose = name if contact else name + ", no contact"
        key = f"{pose}, {level}, {tissue}".replace(",", "").replace(" ", "_")
        if collect and not (proof.folder / f"{key}.json").exists():
            return {**rows, key: None}
        folder = proof.folder / f"{key}-{proof.programs}"
        asked = words if contact else [*words, "--no-flesh-contact"]
        rows[key] = {"pose": pose, "level": level, "tissue": tissue, **proof.part(key, lambda: measure(pneuma, folder, asked))}
        if "stopped" not in rows[key]:
            break
    return rows


def main():
    build = pathlib.Path(sys.argv[1])
    collect = "--collect" in sys.argv
    levels = [word for word in sys.argv[2:] if word != "--collect"] or ["preview"]
    pneuma = build / "bin" / "pneuma"
    proof = Proof("prove-flesh", build, [pneuma])
    results, skipped = {}, set()
    # Costs are processor time, so cases may share the machine.
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 1))) as pool:
        running = [pool.submit(solve, proof, pneuma, name, level, tissue, words, collect) for level in levels for tissue in ("human", "lee2009")
                   for name, words in cases(proof, level, tissue, skipped).items()]
        for case in running:
            results.update(case.result())
    skipped |= {f"{key}: not measured yet" for key, row in results.items() if row is None}
    results = {key: row for key, row in results.items() if row is not None}
    proof.write({"left_out": sorted(skipped), "cases": results})
    for reason in sorted(skipped):
        print("left out:", reason)
    print(table(results))


main()
