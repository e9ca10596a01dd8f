"""Many people who breathe, and the learned breath."""

import os

from . import _core
from ._body import _body_or_default
from ._core import LearnedPerson
from ._progress import chosen
from ._runs import Run
from ._settings import described


@described("population")
def people(**settings):
    """Who a population of these settings is made of: a list of dicts. Nobody is simulated."""
    return _core.people(settings)


@described("population")
def population(body=None, *, out, progress=None, **settings):
    """Lets many people breathe, to learn from.

    body: whose anatomy all of them have; None: the one that comes with Pneuma. out: a folder; the same call again goes on where it
    stopped, person by person. The run's summary is the folder's manifest.
    """
    out = os.fspath(out)
    return Run(_core.population(_body_or_default(body), settings, out, chosen(progress)), {}, out)


class BreathModel(_core.BreathModel):
    """How people's skin follows their breath, learned from a population."""

    def __init__(self, path):
        """A model that `pneuma learn` or save() wrote."""
        super().__init__(os.fspath(path))

    @classmethod
    @described("learn")
    def learn(cls, folder, *, progress=None, **settings):
        """Learns from the folder of a population that is complete."""
        model = cls.__new__(cls)
        _core.BreathModel.__init__(model, os.fspath(folder), settings, chosen(progress))
        return model

    def save(self, path):
        """Writes a file, complete or not at all."""
        self._save(os.fspath(path))

    def person(self, body=None, *, pose_intensity=1.0):
        """Somebody who breathes by the model: a LearnedPerson with the skin of that Body (None: the one that comes with Pneuma).

        pose_intensity: by how much breath turns thorax, neck, shoulders and arms; 0 not at all.
        """
        return self._person(_body_or_default(body), pose_intensity)


__all__ = ["BreathModel", "LearnedPerson", "people", "population"]
