#!/usr/bin/env python3
"""package.py out.zip: the add-on as Blender installs it (Edit > Preferences > Add-ons > Install)."""
import pathlib
import sys
import zipfile

here = pathlib.Path(__file__).resolve().parent
out = pathlib.Path(sys.argv[1])
out.parent.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted((here / "pneuma_breath").glob("*.py")):
        # A fixed date: the same sources give the same bytes.
        archive.writestr(zipfile.ZipInfo(f"pneuma_breath/{path.name}"), path.read_bytes(), zipfile.ZIP_DEFLATED)
print(out)
