#!/usr/bin/env python3
"""Checks that a module includes only modules below it. Prints every offending line; exit 1 if any."""
import pathlib
import re
import sys

ORDER = ["core", "io", "anatomy", "skeleton", "muscle", "flesh", "control", "breath", "skin", "shape", "body",
         "fit", "render", "stage", "survey"]
# Render draws what it is given: meshes and tables. It must not know any physics, though it stands above it.
# Survey measures real meshes into body text: a tool beside the runtime, which nothing includes.
MAY_INCLUDE = {"render": {"core", "io", "render"},
               "survey": {"core", "io", "anatomy", "skeleton", "muscle", "flesh", "survey"}}
INCLUDE = re.compile(r'^\s*#include\s+"(?:pneuma/)?([a-z_]+)/')


def allowed(module):
    return MAY_INCLUDE.get(module, set(ORDER[: ORDER.index(module) + 1]))


def offences(root):
    for base in ("include/pneuma", "src"):
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            module = path.relative_to(root / base).parts[0]
            if module not in ORDER:
                yield f"{path.relative_to(root)}: '{module}' is not a module"
                continue
            experimental = "experimental" in path.parts
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                where = f"{path.relative_to(root)}:{number}"
                if match and match.group(1) in ORDER and match.group(1) not in allowed(module):
                    yield f"{where}: {module} must not include {match.group(1)}"
                if match and "experimental/" in line and not experimental:
                    yield f"{where}: stable code must not include experimental code"


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(offences(root))
    print("\n".join(found) if found else "module order: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
