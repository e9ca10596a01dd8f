#!/bin/sh
# install.sh <python> <source folder> <build folder>: the package, installed into a fresh virtual environment with Debian's packages,
# works away from the sources. Exit 77 (skipped) where pip, venv or setuptools are missing.
set -eu
python=$1
sources=$2
tree=$3
"$python" -c 'import setuptools, ensurepip, pip, venv, wheel' 2>/dev/null || { echo "skipped: pip, venv, setuptools or wheel is missing"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv --system-site-packages "$scratch/venv"
PNEUMA_BUILD_DIR=$tree "$scratch/venv/bin/pip" install --no-build-isolation --no-deps --no-index --quiet "$sources"
cd "$scratch"
env -u PNEUMA_DATA -u PYTHONPATH "$scratch/venv/bin/python" - <<'PYTHON'
import pathlib, pneuma
package = pathlib.Path(pneuma.__file__).parent
assert "venv" in str(package), package
assert pathlib.Path(pneuma.data_folder()) == package / "data", pneuma.data_folder()
assert (package / "py.typed").exists() and (package / "__init__.pyi").exists()
session = pneuma.Session(record_seconds=0)
session.advance(0.2)
print("installed", pneuma.__version__, "in", package)
PYTHON
