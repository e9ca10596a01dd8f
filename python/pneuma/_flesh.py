"""Flesh as an object."""

from . import _core
from ._body import _body_or_default
from ._settings import described


class Flesh(_core.Flesh):
    """A person's flesh, posed by hand: finite elements between bones and skin, pulled by muscles. No breath, no time but its own."""

    @described("flesh", without=("flesh",))
    def __init__(self, body=None, *, triangles=20000, **settings):
        """Fills a body with flesh, at rest.

        body: a Body; None: the one that comes with Pneuma. triangles: of the skin, about. Takes a minute or more where this person's
        flesh was never made before; it is kept in the cache folder.
        """
        super().__init__(_body_or_default(body), settings, triangles)

    def pose(self, joints=None, activations=None, *, posture=None, rhythm=True, seconds=1.0):
        """Moves bones and muscles and finds where flesh is at rest then: the skin, (n, 3) [m], an array of yours.

        joints: angles [rad] from the neutral pose by freedom, as Skeleton.pose() takes them: {'elbow_r.flexion': 1.5}. activations: 0 .. 1
        by muscle, by muscle with _l or _r, or by line: {'biceps_brachii_r': 0.5}; others relax. posture: one of Body.postures instead of
        joints. rhythm: joints that people move together follow. seconds: how long the way from the last pose takes; only what has
        inertia (flesh_dynamics) feels it.

        Goes on from the last pose. A pose without equilibrium is a SimulationError, and the flesh is as it was.
        """
        return self._pose(joints or {}, activations or {}, posture or "", rhythm, seconds)

    def __repr__(self):
        return f"<pneuma.Flesh of {self.elements} elements and {len(self.muscles)} muscles>"
