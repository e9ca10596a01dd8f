#!/usr/bin/env python3
"""prove_people.py FOLDER BUILD: what `pneuma reproduce tsoli2014` found in FOLDER becomes proofs/prove-people.json, and the tables of
docs/breath-shape.md are printed."""
import csv
import json
import pathlib
import sys

from proof import Proof


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def tables(markdown):
    """Every table of a report below the heading it stands under: a list of rows, the first its titles."""
    found, heading = {}, ""
    for line in markdown.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").strip()
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not all(set(cell) <= set(":- ") for cell in cells):
                found.setdefault(heading, []).append(cells)
    return found


def main():
    folder, build = pathlib.Path(sys.argv[1]), sys.argv[2]
    card = json.loads((folder / "card.json").read_text())
    with open(folder / "components.csv", newline="", encoding="utf-8") as file:
        validation = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    proof = Proof("prove-people", build, [])
    proof.write(rounded({**card, "validation": validation, "report": tables((folder / "report.md").read_text(encoding="utf-8"))}))

    print("\n| predicted by | seen of the person | rms | p99 | unseen styles, rms |\n| --- | --- | ---: | ---: | ---: |")
    for e in card["errors"]:
        print(f"| {e['predicted_by']} | {e['seen_of_the_person']} | {e['learned_types']['rms_mm']:.2f} | {e['learned_types']['p99_mm']:.2f} "
              f"| {e['unseen_styles']['rms_mm']:.2f} |")
    print("\n| trial | no breath | vertex PCA | the model | oracle |\n| --- | ---: | ---: | ---: | ---: |")
    for t in card["trials"]:
        print(f"| {t['trial']}{'' if t['use'] == 'learned' else ' (unseen)'} | {t['nothing_mm']:.2f} | {t['vertex_pca_mm']:.2f} "
              f"| {t['model_mm']:.2f} | {t['oracle_mm']:.2f} |")


main()
