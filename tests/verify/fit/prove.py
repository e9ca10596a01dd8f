#!/usr/bin/env python3
"""prove.py BUILD [NAME...]: the shared characters, their variants and our own people, fitted and measured one by one; proofs/prove-fit.json."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
from proof import Proof

build = pathlib.Path(sys.argv[1])
program = build / "tests" / "measure_fit"
proof = Proof("prove-fit", build, [program])


def output(*words):
    return subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.3g}") if isinstance(value, float) else value


every = output().splitlines()
names = sys.argv[2:] or every
characters, own = {}, {}


def apart(*names):
    """By how much the largest cage of one character exceeds the smallest [%]; nothing while one is missing."""
    cages = [characters[name]["cage_l"] for name in names if name in characters]
    return rounded(100 * (max(cages) / min(cages) - 1)) if len(cages) == len(names) else None


for name in names:  # written each time: a proof that is stopped shows those it had
    measured = proof.part(name.replace(" ", "_"), lambda: rounded(json.loads(output(name))))
    (own if name.startswith("own ") else characters)[name] = measured
    proof.write({"of": len(every), "characters": characters, "own_people": own, "cages_apart_percent": {
        "fat levels": apart("male_thin", "male_average", "male_heavy"),
        "fat levels, T-pose": apart("male_thin, T-pose", "male_average, T-pose", "male_heavy, T-pose"),
        "fat levels, woman": apart("female_thin", "female_average"),
        "poses": apart("male_average", "man, arms down", "male_average, T-pose"),
        "poses, woman": apart("female_average", "female_average, T-pose")}})
