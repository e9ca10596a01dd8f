"""What all live sessions can do."""

import os

from ._body import _body_or_default
from ._progress import chosen


class LiveSession:
    """A body that is told what to do while it does it.

    What it does follows from what it was told and when, to the last bit: it does not matter in which portions time advances, how
    many frames are looked at, or whether it was saved and loaded in between. Memory does not grow with time. Methods release the
    GIL; one thread at a time uses a session, others wait.
    """

    def advance(self, seconds, progress=False):
        """Time goes on by that much [s]; Ctrl-C stops it between two steps, and the session can go on.

        progress: None shows a bar where somebody looks, True always; or a function (title, done, total).
        """
        self._advance(seconds, chosen(progress))

    def save(self, path):
        """Writes a file that open() goes on from, with the same bits; complete or not at all."""
        self._save(os.fspath(path))

    def export_glb(self, path):
        """Writes the recorded frames as an animated GLB; complete or not at all."""
        self._export_glb(os.fspath(path))

    def export_usda(self, path):
        """Writes the same scene as USD text: skeleton, blend shapes and time samples; complete or not at all."""
        self._export_usda(os.fspath(path))

    @classmethod
    def open(cls, path, body=None):
        """A session that goes on from a file of save(). body: the one that the saved session was made from."""
        session = cls.__new__(cls)
        cls.__mro__[cls.__mro__.index(LiveSession) + 1].__init__(session, os.fspath(path), _body_or_default(body))
        return session
