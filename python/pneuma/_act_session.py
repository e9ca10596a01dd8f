"""Live sessions of a body that acts by its muscles."""

from . import _core
from ._body import _body_or_default
from ._live import LiveSession
from ._settings import described


class ActSession(LiveSession, _core.ActSession):
    """A body that acts by its muscles and is told what to do while it does: exercises, weights, tension, links that are dragged.

    See LiveSession for what all sessions promise. Legs and pelvis are held by the world, and it does not breathe. Its GLB has
    armature, bones and skin.
    """

    @described("act_session", "act_task")
    def __init__(self, body=None, **settings):
        """A person who stands; time is 0 then.

        body: a Body; None: the one that comes with Pneuma.
        """
        _core.ActSession.__init__(self, _body_or_default(body), settings)

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

    def __repr__(self):
        return f"<pneuma.ActSession {self.task['exercise']}, {self.time:.2f} s>"
