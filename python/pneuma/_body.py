"""Bodies and the persons they are fitted to."""

import functools
import os

from . import _core
from ._settings import described


class Body(_core.Body):
    """A body as one person: bones, muscles, lungs and skin."""

    @described("person")
    def __init__(self, path=None, **settings):
        """Loads a body file and fits it to a person.

        path: a body file (TOML); None: the human that comes with Pneuma. What is not stated of the person is as the file has it.
        """
        super().__init__("" if path is None else os.fspath(path), settings)

    @described("person")
    def fitted(self, **settings):
        """The same measured body as somebody else: a new Body; this one stays as it is."""
        other = Body.__new__(Body)
        _core.Body.__init__(other, self, settings)
        return other

    def __repr__(self):
        p = self.person
        return f"<pneuma.Body {self.name}: {p['sex']}, {p['height']:.2f} m, {p['mass']:.1f} kg, {p['age']:.0f} years>"


@functools.cache
def _default():
    return Body()


def _body_or_default(body):
    if body is None:
        return _default()
    if not isinstance(body, _core.Body):
        raise TypeError(f"body: a pneuma.Body, not {type(body).__name__}")
    return body


def read_model(path):
    """Skeleton and muscles of an OpenSim 4 (.osim) or MuJoCo (MJCF) model: (Skeleton, list of what was dropped)."""
    return _core._read_model(os.fspath(path))
