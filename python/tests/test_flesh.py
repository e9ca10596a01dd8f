"""Flesh that is posed by hand, at its coarsest."""

import inspect
import math
import threading
import time
import unittest

import numpy as np

import pneuma

BENT = {"elbow_r.flexion": math.radians(90)}
FLEXORS = {"biceps_brachii_r": 0.5, "brachialis_r": 0.5, "brachioradialis_r": 0.5}


class FleshPoses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.body = pneuma.Body()
        cls.flesh = pneuma.Flesh(cls.body, flesh_level="preview", triangles=8000)

    def setUp(self):
        self.flesh.reset()

    def test_says_what_it_is_made_of(self):
        flesh = self.flesh
        self.assertGreater(flesh.elements, 20000)
        self.assertEqual(flesh.elements, flesh.info["tetrahedra"])
        self.assertGreater(flesh.info["tissues_l"]["muscle"], 10)
        self.assertEqual(flesh.rest_volumes.shape, (len(flesh.muscles),))
        self.assertGreater(flesh.rest_volumes.sum(), 5e-3)
        self.assertIn(str(flesh.elements), repr(flesh))

    def test_at_rest_the_skin_is_the_persons_own(self):
        vertices, triangles = self.body.skin_mesh(8000)
        np.testing.assert_array_equal(self.flesh.triangles, triangles)
        off = np.linalg.norm(self.flesh.skin() - vertices, axis=1)
        # Fingers hang relaxed; all else lies where it was measured.
        self.assertLess(np.median(off), 1e-6)
        np.testing.assert_allclose(self.flesh.volumes, self.flesh.rest_volumes, rtol=1e-3)

    def test_a_bent_elbow_is_sound_and_active_flexors_are_thicker(self):
        flesh, before = self.flesh, self.flesh.skin()
        skin = flesh.pose(BENT, FLEXORS)
        self.assertEqual(skin.shape, before.shape)
        moved = np.linalg.norm(skin - before, axis=1)
        self.assertGreater(moved.max(), 0.3)  # the hand
        self.assertLess(before[moved > 0.05, 0].max(), -0.1)  # the right arm alone
        report = flesh.report
        self.assertEqual(report["inverted"], 0)
        self.assertGreater(report["least_j"], 0.05)
        self.assertGreater(report["cpu_s"], 0)
        self.assertGreater(report["upper_arm_r_mm"], report["upper_arm_l_mm"] + 1)
        large = flesh.rest_volumes > 50e-6
        np.testing.assert_allclose(flesh.volumes[large], flesh.rest_volumes[large], rtol=0.02)

    def test_arrays_are_ones_own_and_a_frame_is_a_snapshot(self):
        skin = self.flesh.pose({"elbow_r.flexion": 0.3})
        frame = self.flesh.frame()
        np.testing.assert_array_equal(frame.points("skin"), skin)
        self.assertEqual(frame["flesh.inverted"], self.flesh.report["inverted"])
        kept = skin.copy()
        self.assertTrue(skin.flags.writeable)
        self.flesh.pose({})
        np.testing.assert_array_equal(skin, kept)
        np.testing.assert_array_equal(frame.points("skin"), kept)
        skin[:] = 0
        self.assertFalse(np.array_equal(self.flesh.skin(), skin))

    def test_after_reset_the_same_pose_has_the_same_bits(self):
        first = self.flesh.pose(BENT, FLEXORS)
        self.flesh.reset()
        np.testing.assert_array_equal(self.flesh.pose(BENT, FLEXORS), first)

    def test_what_cannot_be_is_refused_and_changes_nothing(self):
        before = self.flesh.pose({"elbow_r.flexion": 0.3})
        for named, arguments in (
            ("elbow_r.flexion", dict(joints={"elbow_r.flexon": 1})),
            ("biceps_brachii_r", dict(activations={"biceps_brachi_r": 0.5})),
            ("0 to 1", dict(activations={"biceps_brachii_r": 1.5})),
            ("0 to 1", dict(activations={"biceps_brachii_r": math.nan})),
            ("supine", dict(posture="supin")),
            ("posture", dict(joints=BENT, posture="supine")),
            ("seconds", dict(seconds=0)),
        ):
            with self.subTest(arguments=arguments), self.assertRaises(pneuma.InputError) as caught:
                self.flesh.pose(**arguments)
            self.assertIn(named, str(caught.exception))
        np.testing.assert_array_equal(self.flesh.skin(), before)
        for wrong, nearest in ((dict(flesh_level="previw"), "preview"), (dict(flesh_tisue="human"), "flesh_tissue")):
            with self.subTest(wrong=wrong), self.assertRaises(pneuma.InputError) as caught:
                pneuma.Flesh(self.body, **wrong)
            self.assertEqual(caught.exception.diagnostics[0]["nearest"], nearest)
        with self.assertRaises(pneuma.InputError) as caught:
            pneuma.Flesh(self.body, flesh_tissue="jelly")
        self.assertEqual(caught.exception.field, "flesh_tissue")
        self.assertNotIn("--", str(caught.exception))
        with self.assertRaises(TypeError):
            pneuma.Flesh("body.toml")

    def test_the_gil_is_free_while_flesh_is_posed(self):
        done = threading.Event()

        def work():
            self.flesh.pose({"elbow_r.flexion": 1.9, "elbow_l.flexion": 1.9})
            done.set()

        thread = threading.Thread(target=work)
        begin = time.perf_counter()
        thread.start()
        ticks = 0
        while not done.is_set():
            time.sleep(0.002)
            ticks += 1
        thread.join()
        # Held all the way, the interpreter would have come here once or twice.
        self.assertGreater(ticks, 5, f"{time.perf_counter() - begin:.2f} s")

    def test_help_lists_every_setting(self):
        names = {row["name"] for row in pneuma.schema("flesh")} - {"flesh"}
        self.assertEqual(names, set(inspect.signature(pneuma.Flesh).parameters) - {"body", "triangles"})
        for name in names:
            self.assertIn(name, pneuma.Flesh.__init__.__doc__)


if __name__ == "__main__":
    unittest.main()
