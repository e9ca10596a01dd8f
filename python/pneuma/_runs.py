"""Runs: the program's verbs breathe, live, act and fit, with the same settings and the same folders."""

import os
import tempfile
from dataclasses import dataclass
from typing import Any

from . import _core
from ._body import Body, _body_or_default
from ._progress import chosen
from ._settings import described


@dataclass(frozen=True)
class Run:
    """What a run gave."""

    summary: dict[str, Any]  #: measures by name, as summary.json has them
    table: dict[str, Any]  #: arrays over time by column; of act() one such table for each group
    folder: str | None  #: where its files are; None: it wrote none

    def __repr__(self):
        return f"<pneuma.Run of {len(self.summary)} measures, {len(self.table)} columns, folder {self.folder!r}>"


def _place(out, resume, pictures, film, asset=False):
    return _core.RunPlace("" if out is None else os.fspath(out), resume, pictures, film, asset)


@described("breathe")
def breathe(body=None, *, out=None, resume=False, pictures=False, film=False, asset=False, progress=None, **settings):
    """Simulates a breathing trunk.

    body: a Body; None: the one that comes with Pneuma. out: a folder for the run, which gets run.toml, checkpoints, breath.csv,
    breath.glb and report.html; None: measures only. resume: go on with a run that was stopped there, to the same bits.
    pictures, film, asset: stills, an MP4, and a GLB for games in the folder. progress: None shows a bar where somebody looks.
    """
    place = _place(out, resume, pictures, film, asset)
    summary, table = _core.breathe(_body_or_default(body), settings, place, chosen(progress))
    return Run(summary, table, None if out is None else os.fspath(out))


@described("live", "motion", "flesh")
def live(body=None, *, out=None, resume=False, pictures=False, film=False, asset=False, progress=None, **settings):
    """Simulates a whole person who moves and breathes.

    body: a Body; None: the one that comes with Pneuma. out: a folder for the run, which gets run.toml, checkpoints, living.csv,
    living.glb and report.html; None: measures only. resume: go on with a run that was stopped there, to the same bits.
    pictures, film, asset: stills, an MP4, and a GLB for games in the folder. progress: None shows a bar where somebody looks.
    flesh needs a folder.
    """
    place = _place(out, resume, pictures, film, asset)
    summary, table = _core.live(_body_or_default(body), settings, place, chosen(progress))
    return Run(summary, table, None if out is None else os.fspath(out))


@described("fit")
def fit(character, body=None, *, out=None, breathes=True, pictures=False, progress=None, **settings):
    """Gives your own character the anatomy of a body: (Body of the character, Run).

    character: OBJ, PLY, STL, glTF, GLB or FBX of a human. body: whose anatomy it gets; None: the one that comes with Pneuma.
    out: a folder that gets the character as a body file, breathing in its own format, and report.html; None: no files.
    breathes: let it breathe, for shape keys of its own mesh. pictures: of the fit, in the folder.
    """
    place = _core.RunPlace("" if out is None else os.fspath(out), False, pictures, False, False)
    character = os.fspath(character)
    summary, core = _core.fit(_body_or_default(body), character, settings, breathes, place, chosen(progress))
    own = Body.__new__(Body)
    _core.Body.__init__(own, core, {})
    return own, Run(summary, {}, None if out is None else os.fspath(out))


@described("act")
def act(
    body=None,
    exercise="curl",
    *,
    articulation="upper-body",
    out=None,
    resume=False,
    pictures=False,
    film=False,
    progress=None,
    **settings,
):
    """Lets a body do something by its own muscles.

    body: a Body; None: the one that comes with Pneuma. exercise: one of exercises(). articulation: which links and joints.
    out: a folder for the run; None: one that is thrown away. resume: go on with a run that was stopped there, to the same bits.
    pictures, film: stills with a report, an MP4. progress: None shows a bar where somebody looks.

    The run's table has one table for each group: joints, errors, torque_asked, torque_given, activations.
    """
    with tempfile.TemporaryDirectory(prefix="pneuma_act_") as scratch:
        folder = scratch if out is None else os.fspath(out)
        place = _core.RunPlace(folder, resume, pictures, film, False)
        summary, tables = _core.act(_body_or_default(body), exercise, articulation, settings, place, chosen(progress))
    return Run(summary, tables, None if out is None else folder)
