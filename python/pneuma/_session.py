"""Live sessions of a body that breathes."""

from . import _core
from ._body import _body_or_default
from ._live import LiveSession
from ._settings import described


class Session(LiveSession, _core.Session):
    """A living body that is told how to breathe while it lives.

    See LiveSession for what all sessions promise. Its GLB is in layers: joints that carry its motion, breath as targets.
    """

    @described("session", "session_breath")
    def __init__(self, body=None, **settings):
        """Settles a person in a posture; time is 0 then.

        body: a Body; None: the one that comes with Pneuma.
        """
        _core.Session.__init__(self, _body_or_default(body), settings)

    @described("session_breath")
    def set(self, **settings):
        """Changes how the body breathes from now on, smoothly and in the same part of the breath.

        What is not stated is the style's own. A target is left.
        """
        self._set(settings)

    def __repr__(self):
        return f"<pneuma.Session {self.settings['posture']}, {self.breath['style']}, {self.time:.2f} s>"
