"""check_bytes.py before.glb after.glb

Everything the file had is there as it was: its binary data byte for byte, its JSON but for what breath adds.
"""

import json
import struct
import sys


def halves(path):
    with open(path, "rb") as stream:
        data = stream.read()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def check(condition, message):
    if not condition:
        raise SystemExit("FAILED: " + message)


(before, old), (after, new) = halves(sys.argv[1]), halves(sys.argv[2])
check(new[: len(old)] == old, "binary data changed")
for key in before:
    if key in ("buffers", "meshes", "animations"):
        continue
    there = after[key][: len(before[key])] if isinstance(before[key], list) else after[key]
    check(there == before[key], f"'{key}' changed")
gained = 0
for a, b in zip(before["meshes"], after["meshes"]):
    for p, q in zip(a["primitives"], b["primitives"]):
        check({k: v for k, v in q.items() if k != "targets"} == {k: v for k, v in p.items() if k != "targets"}, a["name"])
        had = p.get("targets", [])
        check(q.get("targets", [])[: len(had)] == had, f"targets of {a['name']}")
        gained += len(q.get("targets", [])) > len(had)
widened = 0
for a, b in zip(before["animations"], after["animations"]):
    check(a["name"] == b["name"] and a["channels"] == b["channels"], f"animation {a['name']}")
    for c in a["channels"]:
        p, q = a["samplers"][c["sampler"]], b["samplers"][c["sampler"]]
        same = p == q
        widened += not same
        check(same or c["target"]["path"] == "weights", f"sampler of {a['name']}")
names = [a["name"] for a in after["animations"]]
check(len(set(names)) == len(names) and "breath" in names, f"animations {names}")
print(f"{len(old)} old bytes equal, {len(new) - len(old)} new; {gained} primitives breathe, {widened} samplers widened, animations {names}")
