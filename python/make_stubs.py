#!/usr/bin/env python3
"""make_stubs.py <file>: writes the package's type stubs from the package itself: names, signatures and keywords as they are.

CMake calls it after every build of the package.
"""

import dataclasses
import inspect
import os
import re
import sys
import types

# The package that was built, not its sources beside this script.
sys.path[:] = [p for p in sys.path if os.path.realpath(p or ".") != os.path.dirname(os.path.realpath(__file__))]

import pneuma  # noqa: E402

HEAD = '''# Made by python/make_stubs.py.
from os import PathLike
from typing import Any, Callable, Self

import numpy as np
import numpy.typing as npt

_Path = str | PathLike[str]
_Progress = bool | None | Callable[[str, float, float], object]
'''

# What arguments and results are, by their names: the library's own names are the same everywhere.
ARGUMENTS = {
    "body": "Body | None",
    "skeleton": "Skeleton",
    "path": "_Path",
    "out": "_Path | None",
    "progress": "_Progress",
    "data": "bytes",
    "state": "bytes",
    "q": "npt.ArrayLike",
    "excitations": "npt.ArrayLike",
    "local": "npt.ArrayLike",
    "place": "npt.ArrayLike",
    "joints": "dict[str, float]",
    "activations": "dict[str, float]",
    "rhythm": "bool",
    "activation": "float | None",
    "resume": "bool",
    "pictures": "bool",
    "film": "bool",
    "asset": "bool",
    "excitation": "bool",
    "seconds": "float",
    "volume": "float",
    "flow": "float",
    "chest_share": "float",
    "pose_intensity": "float",
    "folder": "_Path",
    "triangles": "int",
    "threads": "int",
}
LIVE = {
    "time": "float", "state_hash": "str", "settings": "dict[str, Any]", "layout": "dict[str, Any]", "frame": "Frame",
    "frame_bytes": "bytes", "layout_json": "str", "history": "dict[str, npt.NDArray[np.float64]]", "save_bytes": "bytes",
}
RESULTS = {
    "Body": {
        "name": "str", "person": "dict[str, Any]", "lung_volumes": "dict[str, float]", "bones": "list[str]", "muscles": "list[str]",
        "articulations": "list[str]", "postures": "list[str]", "hash": "str", "text": "str", "fitted": "Body", "skeleton": "Skeleton",
        "bone_mesh": "tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]", "strengths": "list[dict[str, Any]]",
        "skin_mesh": "tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]",
    },
    "LiveSession": {"open": "Self"},
    "Session": {**LIVE, "breath": "dict[str, Any]"},
    "ActSession": {**LIVE, "task": "dict[str, Any]", "draggable": "list[str]"},
    "BreathModel": {
        "card": "dict[str, Any]", "components": "int", "template": "tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]",
        "learn": "Self", "person": "LearnedPerson",
    },
    "Population": {
        "manifest": "dict[str, Any]", "people": "list[dict[str, Any]]", "trials": "list[str]",
        "template": "tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]", "rest": "npt.NDArray[np.float32]",
        "skins": "npt.NDArray[np.float32]", "samples": "dict[str, npt.NDArray[np.float64]]",
    },
    "Flesh": {
        "elements": "int", "muscles": "list[str]", "info": "dict[str, Any]", "report": "dict[str, float]", "frame": "Frame",
        "triangles": "npt.NDArray[np.int32]",
    },
    "LearnedPerson": {"triangles": "npt.NDArray[np.int32]"},
    "Frame": {"time": "float", "scalars": "dict[str, float]", "__getitem__": "float"},
    "Skeleton": {
        "articulation": "str", "links": "list[str]", "parents": "list[int]", "dofs": "list[str]", "dof_count": "int",
        "position_count": "int", "muscles": "list[str]", "muscle_parameters": "dict[str, npt.NDArray[np.float64]]", "to_mjcf": "str",
        "to_osim": "tuple[str, list[str]]", "hinges": "list[tuple[str, int]]", "muscle_paths": "list[npt.NDArray[np.float64]]",
    },
    "MuscleBody": {
        "time": "float", "step": "float", "muscles": "list[str]", "dofs": "list[str]", "driven": "list[str]",
    },
    "": {
        "data_folder": "str", "exercises": "list[tuple[str, str]]", "set_thread_count": "int", "thread_count": "int",
        "decode_frame": "DecodedFrame", "act": "Run", "breathe": "Run", "live": "Run", "fit": "tuple[Body, Run]", "people": "list[dict[str, Any]]", "population": "Run", "read_model": "tuple[Skeleton, list[str]]", "schema": "list[dict[str, Any]]",
    },
}
COMMANDS = {"bake", "set", "advance", "target", "release", "save", "load_bytes", "export_glb", "export_usda", "hold", "drag", "excite", "reach", "prescribe", "reset"}
ARRAYS = "npt.NDArray[np.float64]"


def result(owner, name):
    if name in COMMANDS or name == "__init__":
        return "None"
    return RESULTS.get(owner, {}).get(name, ARRAYS)


def annotation(parameter):
    if parameter.annotation is not inspect.Parameter.empty:
        text = parameter.annotation if isinstance(parameter.annotation, str) else parameter.annotation.__name__
        return f"{text} | None" if parameter.default is None else text
    text = ARGUMENTS.get(parameter.name, "str")
    if parameter.default is None and "None" not in text:
        text += " | None"
    return text


def parameter_text(parameter):
    if parameter.name in ("self", "cls"):
        return parameter.name
    text = f"{parameter.name}: {annotation(parameter)}"
    return text if parameter.default is inspect.Parameter.empty else f"{text} = ..."


def of_python(function):
    parts, star = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind == inspect.Parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(parameter_text(p))
    return ", ".join(parts)


def of_extension(function):
    """pybind11 states the signature in the first line: name(self: X, q: object = None) -> Y."""
    line = (function.__doc__ or "").splitlines()[0]
    inside = re.match(r"\w+\((.*)\)(?: -> .*)?$", line).group(1)
    parts = []
    depth, piece = 0, ""
    for c in inside + ",":
        depth += (c in "[({") - (c in "])}")
        if c == "," and depth == 0:
            if piece.strip():
                name = piece.split(":")[0].strip()
                if name == "self" or name.startswith("arg") and not parts:
                    parts.append("self")
                else:
                    default = None if "= None" in piece else (0 if "=" in piece else inspect.Parameter.empty)
                    parts.append(parameter_text(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)))
            piece = ""
        else:
            piece += c
    return ", ".join(parts)


def signature(function):
    return of_python(function) if isinstance(function, types.FunctionType) else of_extension(function)


def public_base(cls):
    """The public class that a class is one of, or None."""
    return next((base for base in cls.__mro__[1:] if base.__name__ in pneuma.__all__ and base is getattr(pneuma, base.__name__)), None)


def members(cls):
    """Public members, the package's own before the extension's, without those of a public base."""
    found = {}
    for base in cls.__mro__:
        if base.__module__.split(".")[0] != "pneuma" or base is public_base(cls):
            continue
        for name, value in vars(base).items():
            if (not name.startswith("_") or name in ("__init__", "__getitem__")) and name not in found:
                found[name] = value
    if (getattr(found.get("__init__"), "__doc__", None) or "").startswith("Initialize self"):
        del found["__init__"]  # nobody makes one
    return found


def class_stub(name, cls):
    if dataclasses.is_dataclass(cls):
        types_of = {"ndarray": "npt.NDArray[Any]"}
        lines = [f"    {f.name}: {types_of.get(getattr(f.type, '__name__', ''), getattr(f.type, '__name__', str(f.type)))}"
                 for f in dataclasses.fields(cls)]
        return "\n".join([f"class {name}:"] + [re.sub(r"typing\.", "", line.replace("dict", "dict[str, Any]", 1) if line.endswith("dict") else line)
                                               for line in lines])
    if issubclass(cls, Exception):
        fields = {"InputError": "diagnostics: list[dict[str, Any]]\n    file: str\n    line: int\n    field: str",
                  "SimulationError": "time: float\n    part: str\n    cause: str", "InternalError": "..."}
        return f"class {name}({cls.__mro__[1].__name__}):\n    {fields[name]}"
    base = public_base(cls)
    lines = [f"class {name}({base.__name__}):" if base else f"class {name}:"]
    for member, value in members(cls).items():
        if isinstance(value, property):
            lines += ["    @property", f"    def {member}(self) -> {result(name, member)}: ..."]
        elif isinstance(value, (classmethod, staticmethod)):
            lines += [f"    @{type(value).__name__}", f"    def {member}({signature(value.__func__)}) -> {result(name, member)}: ..."]
        else:
            lines.append(f"    def {member}({signature(value)}) -> {result(name, member)}: ...")
    return "\n".join(lines)


def stubs():
    parts = [HEAD, "__version__: str\n"]
    for name in pneuma.__all__:
        value = getattr(pneuma, name)
        if inspect.isclass(value):
            parts.append("\n" + class_stub(name, value) + "\n")
        else:
            parts.append(f"\ndef {name}({signature(value)}) -> {result('', name)}: ...\n")
    return "".join(parts)


if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        file.write(stubs())
