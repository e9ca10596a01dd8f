"""Pneuma: a living, breathing body for digital humans.

    import pneuma
    body = pneuma.Body(sex="female", height=1.65)
    session = pneuma.Session(body, style="deep")
    session.advance(10)
    session.history()["lung_volume"]

Units are SI (m, kg, s, N, rad, m^3) except where a name or a help text says otherwise: settings are in the units that their help
states, and the numbers of frames and tables carry theirs in the layout (volumes there are in mL).
"""

import os as _os
import pathlib as _pathlib

from . import _core
from ._errors import InputError, InternalError, SimulationError

_data = _pathlib.Path(__file__).parent / "data"
if _data.is_dir() and "PNEUMA_DATA" not in _os.environ:
    _core.set_data_folder(str(_data))

from ._act_session import ActSession  # noqa: E402  (settings are read from the data folder)
from ._body import Body, read_model  # noqa: E402
from ._core import Frame, MuscleBody, Skeleton, data_folder, exercises, set_thread_count, thread_count  # noqa: E402
from ._flesh import Flesh  # noqa: E402
from ._frames import DecodedFrame, decode_frame  # noqa: E402
from ._live import LiveSession  # noqa: E402
from ._people import BreathModel, LearnedPerson, people, population  # noqa: E402
from ._population import Population  # noqa: E402
from ._runs import Run, act, breathe, fit, live  # noqa: E402
from ._session import Session  # noqa: E402
from ._settings import schema  # noqa: E402

__version__ = _core.version()
__all__ = [
    "ActSession",
    "Body",
    "BreathModel",
    "DecodedFrame",
    "Flesh",
    "Frame",
    "InputError",
    "InternalError",
    "LearnedPerson",
    "LiveSession",
    "MuscleBody",
    "Population",
    "Run",
    "Session",
    "SimulationError",
    "Skeleton",
    "act",
    "breathe",
    "data_folder",
    "decode_frame",
    "exercises",
    "fit",
    "live",
    "people",
    "population",
    "read_model",
    "schema",
    "set_thread_count",
    "thread_count",
]
for _class in (Frame, LearnedPerson, MuscleBody, Skeleton):
    _class.__module__ = __name__
