#!/usr/bin/env python3
"""Runs every benchmark program and gathers their figures in build/bench.json.

  scripts/bench.py [WORD...]     only the programs whose name holds one of the words

A bench program prints its own table and writes flat figures to the file that PNEUMA_BENCH_JSON names. Programs
of the `bench` preset are built for the baseline instruction set, those of `native` for this machine; the keys of the
latter get the suffix `.native`. A program that was not built, or that stops, is named at the end and does not keep the
others from running.
"""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return {"processor": names[0] if names else "unknown", "cores": os.cpu_count()}


def run_preset(preset, only):
    """Figures of all programs of one preset, and the names of those that failed."""
    figures, failed = {}, []
    folder = BUILD / preset / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted((ROOT / "bench").glob("bench_*.cpp")):
        program = BUILD / preset / "bin" / source.stem
        if only and not any(word in program.name for word in only):
            continue
        if not program.exists():
            failed.append(f"{preset}/{program.name} (not built)")
            continue
        target = folder / f"{program.name}.json"
        target.unlink(missing_ok=True)
        print(f"== {program.name} ({preset})", flush=True)
        environment = dict(os.environ, PNEUMA_BENCH_JSON=str(target))
        if subprocess.run([str(program)], env=environment, check=False).returncode != 0:
            failed.append(f"{preset}/{program.name}")
        if target.exists():
            figures.update(json.loads(target.read_text(encoding="utf-8")))
    return figures, failed


def run_wasm(only):
    """The same for WebAssembly, which needs tools that not everybody has: skipped without them."""
    if only and not any(word in "bench_wasm" for word in only):
        return {}, []
    target = BUILD / "bench_wasm.json"
    target.unlink(missing_ok=True)
    print("== bench_wasm", flush=True)
    environment = dict(os.environ, PNEUMA_BENCH_JSON=str(target))
    program = BUILD / "release" / "bin" / "pneuma"
    code = subprocess.run([str(ROOT / "scripts" / "bench_wasm.sh"), str(program)], env=environment, check=False).returncode
    figures = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    return figures, [] if code in (0, 77) else ["bench_wasm"]


def main():
    only = sys.argv[1:]
    out = BUILD / "bench.json"
    result = json.loads(out.read_text(encoding="utf-8")) if only and out.exists() else {}
    failures = []
    for preset, suffix in (("bench", ""), ("native", ".native")):
        figures, failed = run_preset(preset, only)
        failures += failed
        result.update({key + suffix: value for key, value in figures.items()})
    figures, failed = run_wasm(only)
    failures += failed
    result.update(figures)
    for key, value in machine().items():
        result[f"machine.{key}"] = value
    temporary = out.with_suffix(".tmp")
    temporary.write_text(json.dumps(result, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(out)
    width = max((len(key) for key in result), default=10)
    for key in sorted(result):
        print(f"{key:<{width}}  {result[key]}")
    print(f"written: {out.relative_to(ROOT)}")
    if failures:
        print("failed:", ", ".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
