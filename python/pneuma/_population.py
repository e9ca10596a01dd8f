"""The folder of a population as arrays."""

import json
import os

import numpy as np

from ._errors import InputError

_SCHEMA = 1
_HEADER = np.dtype([("magic", "S12"), ("version", "<i4"), ("points", "<i4"), ("start", "<f4"), ("rate", "<f4"), ("frames", "<i4")])


def _refused(path, message):
    path = os.fspath(path)
    text = f"{path}: {message}"
    return InputError(text, [{"severity": "error", "file": path, "message": message, "text": text}])


def _read_json(path):
    try:
        with open(path) as file:
            return json.load(file)
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror})") from None
    except ValueError:
        raise _refused(path, "is not JSON") from None


def _read_skins(path, vertices):
    """A PC2 as (frames, vertices, 3), looked at where it lies."""
    try:
        head = np.fromfile(path, _HEADER, 1)
    except OSError as error:
        raise _refused(path, f"cannot be read ({error.strerror})") from None
    if len(head) == 0 or head[0]["magic"] != b"POINTCACHE2":
        raise _refused(path, "is no point cache")
    frames, points = int(head[0]["frames"]), int(head[0]["points"])
    if points != vertices or os.path.getsize(path) != _HEADER.itemsize + 12 * frames * points:
        raise _refused(path, f"holds {frames} frames of {points} points; it is damaged, or of another topology than {vertices} vertices")
    return np.memmap(path, "<f4", "r", _HEADER.itemsize, (frames, points, 3))


class Population:
    """People who have breathed: who they are, what they did, and their skins as arrays.

        people = pneuma.Population("out/people")
        skins = people.skins("p0001", "deep")           # (frames, vertices, 3), read from the disk as they are looked at
        people.samples("p0001", "deep")["lung_volume"]  # of the same frames
    """

    def __init__(self, folder):
        """The folder of population(), complete or not. Raises InputError for another folder."""
        self._folder = os.fspath(folder)
        path = os.path.join(self._folder, "manifest.json")
        self._manifest = _read_json(path)
        if not isinstance(self._manifest, dict) or self._manifest.get("schema") != _SCHEMA:
            raise _refused(path, f"is no manifest of a population, schema {_SCHEMA}")
        self._trials = [trial["name"] for trial in self._manifest["trials"]]
        self._people = {person["name"]: person for person in self._manifest["people"]}

    def __repr__(self):
        return f"<pneuma.Population of {len(self._people)} people, {len(self._trials)} trials, in {self._folder!r}>"

    @property
    def manifest(self):
        """Settings, trials, people and hash of all data, as manifest.json has them."""
        return self._manifest

    @property
    def people(self):
        """One dict for each person: name, sex, sizes, mechanics, held_out, done."""
        return list(self._people.values())

    @property
    def trials(self):
        """Names of what each of them did."""
        return list(self._trials)

    @property
    def template(self):
        """The common topology on the measured man: (vertices, triangles)."""
        path = os.path.join(self._folder, "template.obj")
        vertices, triangles = [], []
        try:
            with open(path) as file:
                for line in file:
                    words = line.split()
                    if words[:1] == ["v"]:
                        vertices.append([float(w) for w in words[1:4]])
                    elif words[:1] == ["f"]:
                        triangles.append([int(w.split("/")[0]) - 1 for w in words[1:4]])
        except OSError as error:
            raise _refused(path, f"cannot be read ({error.strerror})") from None
        return np.array(vertices), np.array(triangles, np.int32)

    def rest(self, name):
        """A person's skin at the end of a quiet breath out, (vertices, 3) [m]: a read-only view of the file."""
        return _read_skins(self._file(name, "rest.pc2"), self._manifest["vertices"])[0]

    def skins(self, name, trial):
        """A person's skins in a trial, (frames, vertices, 3) [m]: a read-only view of the file."""
        return _read_skins(self._file(name, self._trial(trial) + ".pc2"), self._manifest["vertices"])

    def samples(self, name, trial):
        """What is known of the same frames: arrays time [s], lung_volume, rib_cage, abdomen [m^3 above rest], flow [m^3/s]."""
        path = self._file(name, self._trial(trial) + ".csv")
        units = {"s": 1, "mL": 1e-6, "L/s": 1e-3}
        try:
            with open(path) as file:
                head = [column.rstrip("]").split(" [") for column in file.readline().strip().split(",")]
                values = np.array([[float(v) for v in line.split(",")] for line in file])
            return {column: values[:, k] * units[unit] for k, (column, unit) in enumerate(head)}
        except OSError as error:
            raise _refused(path, f"cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, IndexError):
            raise _refused(path, "is no table of a trial") from None

    def _trial(self, trial):
        if trial not in self._trials:
            raise _refused(self._folder, f"has no trial {trial!r}; there are {', '.join(self._trials)}")
        return trial

    def _file(self, name, file):
        if name not in self._people:
            raise _refused(self._folder, f"has no person {name!r}")
        if not self._people[name]["done"]:
            raise _refused(self._folder, f"{name} is not done yet: population() with the same settings goes on")
        return os.path.join(self._folder, "people", name, file)
