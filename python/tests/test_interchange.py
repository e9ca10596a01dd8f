"""Models for other programs, read again by readers that know nothing of ours."""

import json
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np

import pneuma
from osim_reader import OsimModel


class Osim(unittest.TestCase):
    """Masses, lengths at three poses and moment arms agree to 1e-6 where the format carries them."""

    ARTICULATIONS = ("upper-body", "figure", "torso")

    @classmethod
    def setUpClass(cls):
        cls.body = pneuma.Body()

    def models(self):
        for name in self.ARTICULATIONS:
            with self.subTest(articulation=name):
                skeleton = self.body.skeleton(name)
                text, dropped = skeleton.to_osim()
                yield skeleton, OsimModel(text), dropped

    def poses(self, skeleton):
        """Three poses that hinges and slides alone can take, as q and as coordinates by name."""
        random = np.random.default_rng(3)
        hinges = skeleton.hinges  # (name, place in q)
        for _ in range(3):
            q = skeleton.neutral.copy()
            values = {}
            for name, place in hinges:
                values[name] = q[place] = random.uniform(-0.2, 0.2) if "sternum" not in name else random.uniform(-0.01, 0.01)
            yield q, values

    def test_masses(self):
        for skeleton, model, _ in self.models():
            for name, mass in zip(skeleton.links, skeleton.masses):
                self.assertAlmostEqual(model.masses[name], mass, delta=1e-12 * max(1, mass))

    def test_lengths_at_three_poses(self):
        for skeleton, model, _ in self.models():
            for q, values in self.poses(skeleton):
                lengths = model.lengths(values)
                read = np.array([lengths[name] for name in skeleton.muscles])
                np.testing.assert_allclose(read, skeleton.muscle_lengths(q), rtol=0, atol=1e-9)

    def test_moment_arms(self):
        skeleton = self.body.skeleton("upper-body")
        model = OsimModel(skeleton.to_osim()[0])
        q, values = next(self.poses(skeleton))
        arms = skeleton.moment_arms(q)
        for name in ("elbow_l.flexion", skeleton.hinges[0][0], skeleton.hinges[-1][0]):
            step = 1e-5
            high, low = (model.lengths({**values, name: values[name] + e}) for e in (step, -step))
            read = np.array([(high[m] - low[m]) / (2 * step) for m in skeleton.muscles])
            np.testing.assert_allclose(read, arms[:, skeleton.dofs.index(name)], rtol=0, atol=1e-6)

    def test_muscle_parameters(self):
        skeleton = self.body.skeleton("upper-body")
        model = OsimModel(skeleton.to_osim()[0])
        parameters = skeleton.muscle_parameters
        for index, name in enumerate(skeleton.muscles):
            if parameters["peak_force"][index] > 0:
                muscle = model.muscles[name]
                for ours, theirs in (
                    ("peak_force", "max_isometric_force"),
                    ("fiber_length", "optimal_fiber_length"),
                    ("tendon_length", "tendon_slack_length"),
                    ("pennation", "pennation_angle_at_optimal"),
                ):
                    self.assertEqual(float(muscle.findtext(theirs)), parameters[ours][index])

    def test_both_formats_come_back(self):
        skeleton = self.body.skeleton("upper-body")
        poses = [skeleton.neutral, skeleton.pose({"elbow_l.flexion": 1.0}), skeleton.pose({"shoulder.flexion": 0.8, "spine.flexion": 0.3})]
        for text, name in ((skeleton.to_osim()[0], "body.osim"), (skeleton.to_mjcf(), "body.xml")):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(text)
                read, dropped = pneuma.read_model(path)
            self.assertEqual(dropped, [])
            self.assertEqual(read.muscles, skeleton.muscles)
            self.assertEqual(read.dofs, skeleton.dofs)
            np.testing.assert_allclose(read.masses, skeleton.masses, rtol=0, atol=1e-6)
            for q in poses:
                np.testing.assert_allclose(read.muscle_lengths(q), skeleton.muscle_lengths(q), rtol=0, atol=1e-9)
                np.testing.assert_allclose(read.moment_arms(q), skeleton.moment_arms(q), rtol=0, atol=1e-6)
            with self.assertRaises(pneuma.InputError):
                read.posture("standing")
        with self.assertRaises(pneuma.InputError):
            pneuma.read_model("nowhere.osim")

    def test_what_is_dropped_is_said(self):
        _, dropped = self.body.skeleton("upper-body").to_osim()
        self.assertTrue(any("rhythms" in line for line in dropped) or any("springs" in line for line in dropped), dropped)


class Usda(unittest.TestCase):
    """A breath as USD text, read by TinyUSDZ from npm."""

    TOOLS = os.environ.get("PNEUMA_TOOLS", "")
    FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "tools")

    def read(self, path):
        have = subprocess.run([os.path.join(self.FOLDER, "have_tool.sh"), self.TOOLS, "tinyusdz"], capture_output=True, text=True)
        if not self.TOOLS or have.returncode == 77:
            self.skipTest(have.stdout.strip() or "no folder for tools")
        reader = [os.path.join(self.FOLDER, "read_usda.mjs"), self.TOOLS, path]
        return json.loads(subprocess.run(["node", *reader], check=True, capture_output=True, text=True).stdout)

    def test_another_reader_finds_the_same(self):
        session = pneuma.Session(record_seconds=1, fps=5, style="panting")
        session.advance(1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "breath.usda")
            session.export_usda(path)
            with open(path) as file:
                text = file.read()
            found = self.read(path)
        self.assertEqual(found["meshes"], re.findall(r'def Mesh "([^"]+)"', text))
        self.assertEqual(found["shapes"], re.findall(r'def BlendShape "([^"]+)"', text))
        self.assertEqual(len(found["skeletons"]), 1)
        self.assertGreaterEqual(found["joints"], len(session.layout["links"]))
        self.assertGreater(found["samples"], 0)
        ours = re.findall(r'def Mesh "([^"]+)".*?point3f\[\] points = \[([^\]]*)\]', text, re.S)
        self.assertEqual(len(ours), len(found["meshes"]))
        for name, numbers in ours:
            points = np.array(re.findall(r"[-+.\deE]+", numbers), dtype=float)
            np.testing.assert_allclose(found["points"][name], points, rtol=0, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
