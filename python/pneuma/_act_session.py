"""Live sessions of a body that acts by its muscles."""

import os

from . import _core
from ._body import _body_or_default
from ._progress import chosen
from ._settings import described


class ActSession(_core.ActSession):
    """A body that acts by its muscles and is told what to do while it does: exercises, weights, tension, links that are dragged.

    As of Session: what it does follows from what it was told and when, to the last bit, memory does not grow with time, and methods
    release the GIL. Legs and pelvis are held by the world, and it does not breathe.
    """

    @described("act_session", "act_task")
    def __init__(self, body=None, **settings):
        """A person who stands; time is 0 then.

        body: a Body; None: the one that comes with Pneuma.
        """
        super().__init__(_body_or_default(body), settings)

    @described("act_task")
    def set(self, **settings):
        """Changes what the body does from now on. What is not stated is at its default.

        Another exercise lets go of what is dragged; the same one goes on.
        """
        self._set(settings)

    def drag(self, link, local, place):
        """Takes a link by a point of it (in its frame [m]) and asks for that point to be at a place of the world [m].

        Joint angles follow by inverse kinematics, activations by muscle control. An exercise ends. See draggable for the links.
        """
        self._drag(link, list(local), list(place))

    def release(self, link=None):
        """Lets go of a link, or of all; the body goes back to where it stands at rest."""
        self._release(link)

    def advance(self, seconds, progress=False):
        """Time goes on by that much [s]; Ctrl-C stops it between two steps, and the session can go on.

        progress: None shows a bar where somebody looks, True always; or a function (title, done, total).
        """
        self._advance(seconds, chosen(progress))

    def save(self, path):
        """Writes a file that open() goes on from, with the same bits; complete or not at all."""
        self._save(os.fspath(path))

    def export_glb(self, path):
        """Writes the recorded motion as an animated GLB: armature, bones, skin; complete or not at all."""
        self._export_glb(os.fspath(path))

    @staticmethod
    def open(path, body=None):
        """A session that goes on from a file of save(). body: the one that the saved session was made from."""
        session = ActSession.__new__(ActSession)
        _core.ActSession.__init__(session, os.fspath(path), _body_or_default(body))
        return session

    def __repr__(self):
        return f"<pneuma.ActSession {self.task['exercise']}, {self.time:.2f} s>"
