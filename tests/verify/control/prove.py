#!/usr/bin/env python3
"""prove.py BUILD: every exercise of `pneuma act` and a minute of varied poses by muscles; proofs/prove-control.json."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
from proof import Proof, gtest_properties

build = pathlib.Path(sys.argv[1])
tests = build / "tests" / "verify_control"
listed = subprocess.run([tests, "--gtest_list_tests", "--gtest_filter=*Exercises.*:VariedPoses.*"], check=True, stdout=subprocess.PIPE,
                        text=True).stdout.splitlines()
proof = Proof("prove-control", build, [tests])
results, suite = {}, ""
for line in listed:
    if line.endswith("."):
        suite = line
        continue
    if not line.startswith("  "):
        continue
    test = suite + line.split("#")[0].strip()
    motion = proof.part(test.replace("/", "."), lambda: gtest_properties(tests, test))
    results[motion.pop("motion")] = motion
proof.write(results)
