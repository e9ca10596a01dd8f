#!/usr/bin/env python3
"""tables.py: the tables of docs/your-character.md, printed from proofs/prove-fit.json."""
import json
import pathlib

proof = json.loads((pathlib.Path(__file__).resolve().parents[3] / "proofs" / "prove-fit.json").read_text())
NAMES = {"male_thin": "man, thin", "male_average": "man, average", "male_heavy": "man, heavy", "female_thin": "woman, thin",
         "female_average": "woman, average", "child-like": "child-like: head 1.5, legs 0.7", "giant": "giant of 2.42 m",
         "long-limbed": "long-limbed: arms 1.3, legs 1.25", "very heavy": "very heavy: 127 kg at 1.73 m",
         "man, arms down": "man, average, arms down, elbows bent", "man, straight arms down": "man, average, straight arms down",
         "male_thin, T-pose": "man, thin, T-pose", "male_average, T-pose": "man, average, T-pose", "male_heavy, T-pose": "man, heavy, T-pose",
         "female_thin, T-pose": "woman, thin, T-pose", "female_average, T-pose": "woman, average, T-pose"}
OWN = ["own man", "own man, A-pose", "own man, T-pose", "own woman", "own woman, A-pose", "own woman, T-pose"]
BONES = {"shoulder-elbow": "upper arm", "elbow-wrist": "forearm", "hip-knee": "thigh", "knee-ankle": "shank"}
ALLOWED = 5  # % of a bone's length


def fixed(value, decimals, sign=""):
    return f"{value:{sign}.{decimals}f}"


characters, own = proof["characters"], proof["own_people"]
print("| character | skin to character: mean, 99 % | character to skin: mean, 99 % | upper arm, forearm | thigh, shank | outside | cage | FRC |")
print("|---|---|---|---|---|---|---|---|")
for key, name in NAMES.items():
    if key not in characters:
        continue
    c = characters[key]
    off = [fixed(c["length_percent"][bone], 1, "+") for bone in BONES]
    print(f"| {name} | {fixed(c['skin_mean_mm'], 2)}, {fixed(c['skin_p99_mm'], 1)} | {fixed(c['character_mean_mm'], 1)}, {fixed(c['character_p99_mm'], 1)} "
          f"| {off[0]}, {off[1]} | {off[2]}, {off[3]} | {c['bone_vertices_outside']} | {fixed(c['cage_l'], 1)} "
          f"| {fixed(c['frc_l'], 1)}, {fixed(c['frc_predicted_l'], 1)} |")
missing = [name for key, name in {**NAMES, **{n: n for n in OWN}}.items() if key not in characters and key not in own]
print("\nNot measured on this code: " + ("; ".join(missing) or "none") + ".")
print("\nAbove 5 %: " + "; ".join(
    f"{NAMES[key]}, {BONES[bone]} {fixed(off, 1, '+')} %" for key in NAMES if key in characters
    for bone, off in characters[key]["length_percent"].items() if abs(off) > ALLOWED) + ".")
print("\nCages apart: " + "; ".join(f"{name} {apart} %" for name, apart in proof["cages_apart_percent"].items() if apart is not None) + ".\n")
print("| person | joints, rms [mm] | cage [%] | height [%] | mass [%] | sex |\n|---|---|---|---|---|---|")
for name in OWN:
    if name in own:
        t = own[name]["truth"]
        sex = "right" if t["sex_right"] else "asked for" if t["sex_asked_for"] else "wrong"
        print(f"| {name} | {fixed(t['joints_rms_mm'], 1)} | {fixed(t['cage_percent'], 1, '+')} | {fixed(t['height_percent'], 1, '+')} "
              f"| {fixed(t['mass_percent'], 1, '+')} | {sex} |")
print("\n| character | forearm at the wrist | shank at the ankle | clavicle |\n|---|---|---|---|")
SEEN = 0.8
for key, name in NAMES.items():
    if key in characters:
        slimmed = characters[key].get("slimmed", {})

        def thinnest(*bones):
            least = min((slimmed[b]["thinnest"] for b in bones if b in slimmed), default=1)
            return fixed(least, 2) if least < SEEN else f"above {SEEN}"

        print(f"| {name} | {thinnest('radius_l', 'ulna_l')} | {thinnest('tibia_l', 'fibula_l')} | {thinnest('clavicle_l')} |")
