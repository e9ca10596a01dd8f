"""Live sessions."""

import os

from . import _core
from ._body import _body_or_default
from ._progress import chosen
from ._settings import described


class Session(_core.Session):
    """A living body that is told what to do while it lives.

    What it does follows from what it was told and when, to the last bit: it does not matter in which portions time advances, how
    many frames are looked at, or whether it was saved and loaded in between. Memory does not grow with time. Methods release the
    GIL; one thread at a time uses a session, others wait.
    """

    @described("session", "session_breath")
    def __init__(self, body=None, **settings):
        """Settles a person in a posture; time is 0 then.

        body: a Body; None: the one that comes with Pneuma.
        """
        super().__init__(_body_or_default(body), settings)

    @described("session_breath")
    def set(self, **settings):
        """Changes how the body breathes from now on, smoothly and in the same part of the breath.

        What is not stated is the style's own. A target is left.
        """
        self._set(settings)

    def advance(self, seconds, progress=False):
        """Time goes on by that much [s]; Ctrl-C stops it between two steps, and the session can go on.

        progress: None shows a bar where somebody looks, True always; or a function (title, done, total).
        """
        self._advance(seconds, chosen(progress))

    def save(self, path):
        """Writes a file that open() goes on from, with the same bits; complete or not at all."""
        self._save(os.fspath(path))

    def export_glb(self, path):
        """Writes the recorded frames as an animated GLB in layers; complete or not at all."""
        self._export_glb(os.fspath(path))

    def export_usda(self, path):
        """Writes the same scene as USD text: skeleton, blend shapes and time samples; complete or not at all."""
        self._export_usda(os.fspath(path))

    @staticmethod
    def open(path, body=None):
        """A session that goes on from a file of save(). body: the one that the saved session was made from."""
        session = Session.__new__(Session)
        _core.Session.__init__(session, os.fspath(path), _body_or_default(body))
        return session

    def __repr__(self):
        return f"<pneuma.Session {self.settings['posture']}, {self.breath['style']}, {self.time:.2f} s>"
