"""Builds the Python package with CMake: pip install --no-build-isolation .

Everything comes from CMake: the extension is the target pneuma_python of a build tree, by default build/release, which is made when it
is not there and shared with `make build`. PNEUMA_BUILD_DIR names another one.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).parent.resolve()
TREE = pathlib.Path(os.environ.get("PNEUMA_BUILD_DIR", ROOT / "build" / "release")).resolve()


def version():
    return re.search(r"project\(pneuma VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def built_files():
    """Configures where it must, compiles, and gives the extension and the type stubs."""
    if not (TREE / "build.ninja").exists():
        preset = ["--preset", "release", "-B", str(TREE), f"-DPNEUMA_PYTHON={sys.executable}"]
        subprocess.run(["cmake", *preset], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(TREE), "--target", "pneuma_python"], check=True)
    extension = TREE / "python" / "pneuma" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not extension.exists():
        sys.exit(f"{TREE} was built for another Python than {sys.executable}: set PNEUMA_BUILD_DIR to a tree of its own")
    return [extension, extension.parent / "__init__.pyi"]


class BuildPackage(build_py):
    """The package's Python files, its extension, and the data folder."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "pneuma"
        for file in built_files():
            shutil.copy2(file, package)
        shutil.copytree(ROOT / "data", package / "data", dirs_exist_ok=True)


class BinaryDistribution(Distribution):
    """One for each platform: it holds compiled code."""

    def has_ext_modules(self):
        return True


# What setuptools writes on its way stays out of the sources.
SCRATCH = TREE.parent / "python-package"
SCRATCH.mkdir(parents=True, exist_ok=True)

setup(
    options={"build": {"build_base": str(SCRATCH)}, "egg_info": {"egg_base": str(SCRATCH)}},
    version=version(),
    packages=["pneuma"],
    package_dir={"": "python"},
    package_data={"pneuma": ["py.typed"]},
    cmdclass={"build_py": BuildPackage},
    distclass=BinaryDistribution,
)
