#!/usr/bin/env python3
"""Checks that every paper cited in a comment, as in [Zordan05, Eq. 4], is in docs/references.bib. Exit 1 if not."""
import pathlib
import re
import sys

KEY = re.compile(r"\[([A-Z][A-Za-z]+\d\d|Dobsik)(?=[],;])")
ENTRY = re.compile(r"^@\w+\{(\w+),", re.MULTILINE)


def offences(root):
    known = set(ENTRY.findall((root / "docs/references.bib").read_text(encoding="utf-8")))
    for base in ("include", "src", "apps", "scenes"):
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                comment = line.partition("//")[2]
                for key in KEY.findall(comment):
                    if key not in known:
                        yield f"{path.relative_to(root)}:{number}: [{key}] is not in docs/references.bib"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(offences(root))
    print("\n".join(found) if found else "citations: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
