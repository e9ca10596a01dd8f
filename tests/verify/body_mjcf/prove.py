#!/usr/bin/env python3
"""prove.py BUILD: a minute of every exported body in Debian's MuJoCo and in the newest one; proofs/prove-mujoco.json."""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
from proof import Proof, gtest_properties

build = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).resolve().parent
program, tests = build / "bin" / "pneuma", build / "tests" / "verify_body_mjcf"


def debian(body):
    suffix = body.replace("-", "_")
    return gtest_properties(tests, f"*SimulationStaysFinite/{suffix}:*TorquesOfAllMuscles*/{suffix}")


def newest(body):
    run = subprocess.run(["sh", here / "run_newest_mujoco.sh", program, build / "tools", tests, body], check=True,
                         stdout=subprocess.PIPE, text=True)
    measured = json.loads(run.stdout.splitlines()[-1])
    measured.pop("articulation")
    measured["torques_apart_percent_of_scale"] = round(100 * measured.pop("torques_apart_of_scale"), 2)
    return measured


proof = Proof("prove-mujoco", build, [tests])
results = {"debian": {}, "newest": {}}
for body in ("torso", "figure", "figure-deep", "upper-body", "whole"):
    results["debian"][body] = proof.part(f"debian.{body}", lambda: debian(body))
    results["newest"][body] = proof.part(f"newest.{body}", lambda: newest(body))
proof.write(results)
