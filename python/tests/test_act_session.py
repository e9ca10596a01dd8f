"""A body that acts by its muscles, live: the same promises as in the library, seen from Python."""

import inspect
import os
import tempfile
import unittest

import numpy as np

import pneuma

PALM = np.array([0, -0.08, 0])


def place_of(session, link, local=PALM):
    names = [entry["name"] for entry in session.layout["links"]]
    pose = session.frame().link_poses[names.index(link)]
    return pose[:, :3] @ local + pose[:, 3]


class ActSessions(unittest.TestCase):
    def setUp(self):
        self.session = pneuma.ActSession(record_seconds=1)

    def test_a_dragged_hand_arrives_and_is_let_go(self):
        rest = place_of(self.session, "hand_r")
        wanted = rest + [0, 0.3, 0.2]
        self.session.drag("hand_r", PALM, wanted)
        self.session.advance(2.5)
        self.assertLess(np.linalg.norm(place_of(self.session, "hand_r") - wanted), 0.005)
        self.assertLess(self.session.frame()["away"], 5)
        self.session.release()
        self.session.advance(2.5)
        self.assertLess(np.linalg.norm(place_of(self.session, "hand_r") - rest), 0.005)
        with self.assertRaisesRegex(pneuma.InputError, "hand_r"):
            self.session.drag("hand_rr", PALM, wanted)
        with self.assertRaises(pneuma.InputError):
            self.session.drag("hand_r", PALM, [np.nan, 0, 0])
        self.assertIn("skull", self.session.draggable)
        self.assertNotIn("pelvis", self.session.draggable)

    def test_tasks_are_keywords(self):
        self.session.set(exercise="curl", coactivation="arms=0.2")
        self.assertEqual(self.session.task["exercise"], "curl")
        self.assertEqual(self.session.frame()["loads.hand_l"], 5)
        self.session.set(exercise="curl", weight_l=2)
        self.assertEqual(self.session.frame()["loads.hand_l"], 2)
        with self.assertRaisesRegex(pneuma.InputError, "curl"):
            self.session.set(exercise="crul")
        keywords = inspect.signature(pneuma.ActSession.set).parameters
        for row in pneuma.schema("act_task"):
            self.assertIn(row["name"], keywords)
        self.assertIn("weight_l [kg]", pneuma.ActSession.__init__.__doc__)

    def test_goes_on_from_a_file_and_from_bytes(self):
        self.session.set(exercise="shrug")
        self.session.advance(0.4)
        moment = self.session.save_bytes()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "act.session")
            self.session.save(path)
            other = pneuma.ActSession.open(path)
        for session in (self.session, other):
            session.advance(0.3)
        self.assertEqual(self.session.state_hash, other.state_hash)
        self.session.load_bytes(moment)
        self.session.advance(0.3)
        self.assertEqual(self.session.state_hash, other.state_hash)
        self.assertIn("shrug", repr(self.session))

    def test_records_and_exports(self):
        self.session.advance(1.5)
        history = self.session.history()
        self.assertAlmostEqual(history["time"][-1] - history["time"][0], 1, delta=0.1)
        self.assertEqual(history["activations_brachialis_r"].shape, history["time"].shape)
        decoded = pneuma.decode_frame(self.session.frame_bytes())
        self.assertEqual(decoded.time, self.session.frame().time)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "act.glb")
            self.session.export_glb(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(4), b"glTF")
            path = os.path.join(folder, "act.usda")
            self.session.export_usda(path)
            with open(path) as file:
                text = file.read()
            self.assertTrue(text.startswith("#usda 1.0"))
            self.assertIn("rotations.timeSamples", text)


if __name__ == "__main__":
    unittest.main()
