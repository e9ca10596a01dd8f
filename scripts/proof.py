#!/usr/bin/env python3
"""What the long proofs (make prove-*) share: parts that are kept when a proof is stopped, and the stamp of commit and machine.

    proof = Proof("prove-control", build, [program])
    curl = proof.part("curl", lambda: gtest_properties(program, "*curl"))   # measured once for these programs
    proof.write({"curl": curl})                                             # proofs/prove-control.json

    python3 scripts/proof.py prove-studio build/release hour.json           # what another program measured, stamped
"""
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def gtest_properties(program, tests):
    """What tests chosen by a filter recorded by RecordProperty, numbers as such, and their parameter; a failed test raises."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([program, f"--gtest_filter={tests}", f"--gtest_output=json:{report}"],
                       env=dict(os.environ, PNEUMA_PROVE="1"), check=True, stdout=sys.stderr)
        found = {}
        for suite in json.loads(report.read_text())["testsuites"]:
            for test in suite["testsuite"]:
                found.update({key: _number(value) for key, value in test.items() if key not in _OF_GTEST})
    if not found:
        raise SystemExit(f"{program}: no test {tests} recorded anything")
    return found


_OF_GTEST = {"name", "value_param", "type_param", "file", "line", "status", "result", "time", "timestamp", "classname", "failures"}


def _number(text):
    try:
        value = float(f"{float(text):.4g}")
        return int(value) if value.is_integer() else value
    except (TypeError, ValueError):
        return text


def commit():
    """The commit that stands in the tree, with "+" when a file other than the proofs differs from it."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "-uno", "--", ".", ":!proofs") else "")


def machine(build):
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text(), re.M) if cpuinfo.exists() else None
    compiler = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (pathlib.Path(build) / "CMakeCache.txt").read_text(), re.M).group(1)
    version = subprocess.run([compiler, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[0]
    return f"{model.group(1) if model else platform.processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, {version}"


class Proof:
    def __init__(self, name, build, programs):
        self.name = name
        self.folder = ROOT / "out" / name
        self.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        for program in programs:
            digest.update(pathlib.Path(program).read_bytes())
        self.programs = digest.hexdigest()[:16]
        self.stamp = {"what": f"make {name}", "commit": commit(), "machine": machine(build)}

    def part(self, name, measure):
        """What `measure` returns; kept, so that a proof that was stopped goes on behind it as long as the programs are the same."""
        kept = self.folder / f"{name}.json"
        if kept.exists():
            done = json.loads(kept.read_text())
            if done["programs"] == self.programs:
                return done["measured"]
        print(f"{self.name}: {name}", file=sys.stderr, flush=True)
        measured = measure()
        beside = kept.with_suffix(".tmp")
        beside.write_text(json.dumps({"programs": self.programs, "measured": measured}))
        beside.replace(kept)
        return measured

    def write(self, results):
        text = json.dumps({**self.stamp, **results}, indent=1)
        (ROOT / "proofs" / f"{self.name}.json").write_text(text + "\n")
        print(text)


if __name__ == "__main__":
    name, build, measured = sys.argv[1:]
    Proof(name, build, []).write(json.loads(pathlib.Path(measured).read_text()))
