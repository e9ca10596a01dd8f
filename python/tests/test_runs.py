"""Runs and their folders."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import pneuma


class Runs(unittest.TestCase):
    def test_breathe_measures(self):
        run = pneuma.breathe(style="casual", seconds=6, progress=False)
        self.assertTrue(300 < run.summary["tidal_ml"] < 800, run.summary)
        self.assertAlmostEqual(run.table["time"][-1], 6, delta=0.05)
        self.assertIsNone(run.folder)

    def test_live_measures_a_person_in_a_posture(self):
        run = pneuma.live(posture="supine", breath="casual", seconds=4, progress=False)
        self.assertGreater(run.summary["tidal_ml"], 100)
        self.assertEqual(len(run.table["time"]), len(run.table["lung_volume"]))

    def test_act_gives_every_muscle(self):
        run = pneuma.act(exercise="curl", seconds=0.2, progress=False)
        skeleton = pneuma.Body().skeleton("upper-body")
        self.assertLessEqual(set(skeleton.muscles), set(run.table["activations"]))
        self.assertIn("joints", run.summary)
        self.assertIn("curl", [name for name, _ in pneuma.exercises()])

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(pneuma.InputError, "seconds"):
            pneuma.breathe(second=3)
        with self.assertRaises(pneuma.InputError):
            pneuma.act(exercise="sleeping")
        with self.assertRaises(pneuma.InputError):
            pneuma.live(breath="nowhere.csv", seconds=1)


class KilledRuns(unittest.TestCase):
    """A notebook that is killed leaves a folder that the next one goes on with, to the same bits."""

    CODE = "import pneuma, sys; pneuma.act(exercise='curl', seconds=1.4, checkpoint_every=0.1, out=sys.argv[1], progress=False)"

    def test_a_killed_run_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            killed, whole = os.path.join(folder, "killed"), os.path.join(folder, "whole")
            process = subprocess.Popen([sys.executable, "-c", self.CODE, killed])
            checkpoints = os.path.join(killed, "checkpoints")
            end = time.monotonic() + 120
            while time.monotonic() < end and process.poll() is None:
                if os.path.isdir(checkpoints) and os.listdir(checkpoints):
                    break
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            options = {"exercise": "curl", "seconds": 1.4, "checkpoint_every": 0.1, "progress": False}
            resumed = pneuma.act(out=killed, resume=True, **options)
            straight = pneuma.act(out=whole, **options)
            for name, column in straight.table["activations"].items():
                np.testing.assert_array_equal(resumed.table["activations"][name], column)
            with self.assertRaisesRegex(pneuma.InputError, "exercise"):
                pneuma.act(out=killed, resume=True, **{**options, "exercise": "sit"})


class Characters(unittest.TestCase):
    """What cannot be fitted; a whole fit is the notebook own_character."""

    def test_what_is_no_character_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ball.obj")
            with open(path, "w") as file:
                file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
            for character in (path, os.path.join(folder, "nobody.glb")):
                with self.assertRaises(pneuma.InputError) as caught:
                    pneuma.fit(character, out=os.path.join(folder, "out"), progress=False)
                self.assertIn(os.path.basename(character), str(caught.exception))
            self.assertFalse(os.path.exists(os.path.join(folder, "out")))

    def test_flesh_needs_a_folder(self):
        with self.assertRaises(pneuma.InputError) as caught:
            pneuma.live(flesh=True, seconds=0.1, progress=False)
        self.assertEqual(caught.exception.field, "flesh")


if __name__ == "__main__":
    unittest.main()
