#!/usr/bin/env python3
"""prove.py BUILD: a minute of every exported body in Debian's MuJoCo and in the newest one; proofs/prove-mujoco.json."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

build = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).resolve().parent
root = here.parents[2]
environment = dict(os.environ, PNEUMA_PROVE="1")
tests = build / "tests" / "verify_body_mjcf"

proof = {"what": "make prove-mujoco", "debian": [], "newest": []}
with tempfile.TemporaryDirectory() as folder:
    report = pathlib.Path(folder) / "report.json"
    subprocess.run([tests, "--gtest_filter=*SimulationStaysFinite*:*TorquesOfAllMuscles*", f"--gtest_output=json:{report}"],
                   env=environment, check=True, stdout=sys.stderr)
    bodies = {}
    for suite in json.loads(report.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            body = bodies.setdefault(test["value_param"].strip('"'), {})
            for key in ("muscles", "seconds", "fastest_rad_s", "torques_apart_percent_of_scale"):
                if key in test:
                    body[key] = round(float(test[key]), 2)
    proof["debian"] = [{"articulation": name, **body} for name, body in bodies.items()]

newest = subprocess.run(["sh", here / "run_newest_mujoco.sh", build / "bin" / "pneuma", build / "tools", tests], env=environment,
                        check=True, stdout=subprocess.PIPE, text=True)
proof["newest"] = [json.loads(line) for line in newest.stdout.splitlines() if line.startswith("{")]
text = json.dumps(proof, indent=1)
(root / "proofs" / "prove-mujoco.json").write_text(text + "\n")
print(text)
