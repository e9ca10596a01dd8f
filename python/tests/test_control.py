"""Bodies moved by their muscles."""

import unittest

import numpy as np

import pneuma


class Control(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.skeleton = pneuma.Body().skeleton("upper-body")

    def test_reaches_a_pose_by_muscles_alone(self):
        body = pneuma.MuscleBody(self.skeleton)
        pose = self.skeleton.pose({"elbow_r.flexion": 0.6})
        joint = body.dofs.index("elbow_r.flexion")
        begin = body.q.copy()
        body.reach(pose, 0.7)
        self.assertGreater(np.abs(body.q - begin).max(), 0.3)
        self.assertTrue((body.activations >= 0).all() and (body.activations <= 1).all())
        self.assertGreater(body.tensions.max(), 1)
        self.assertEqual(len(body.demand), len(body.driven))
        self.assertAlmostEqual(self.error(body, pose), 0, delta=0.1)
        self.assertIsInstance(joint, int)

    def error(self, body, pose):
        """Largest difference of the right elbow's muscles from their lengths in the pose [m]."""
        rows = [i for i, name in enumerate(self.skeleton.muscles) if "biceps" in name and name.endswith("_r")]
        return np.abs(body.lengths[rows] - self.skeleton.muscle_lengths(pose)[rows]).max() / 0.1

    def test_views_follow_and_reset_comes_back(self):
        body = pneuma.MuscleBody(self.skeleton)
        q = body.q
        start = q.copy()
        body.excite(np.full(len(body.muscles), 0.02), 0.1)
        self.assertFalse(np.array_equal(q, start))
        self.assertIs(q.base, body)
        self.assertFalse(q.flags.writeable)
        body.reset()
        np.testing.assert_array_equal(q, start)
        self.assertEqual(body.time, 0)

    def test_the_same_excitations_give_the_same_bits(self):
        ends = []
        for _ in range(2):
            body = pneuma.MuscleBody(self.skeleton)
            body.excite(np.linspace(0, 0.05, len(body.muscles)), 0.2)
            ends.append(body.q.copy())
        np.testing.assert_array_equal(*ends)

    def test_a_prescribed_muscle_has_its_activation(self):
        body = pneuma.MuscleBody(self.skeleton)
        name = next(n for n in body.muscles if "biceps" in n)
        body.prescribe(name, 0.3)
        body.reach(body.q.copy(), body.step)
        self.assertAlmostEqual(body.activations[body.muscles.index(name)], 0.3)
        body.prescribe(name, None)
        body.reach(body.q.copy(), body.step)
        self.assertNotAlmostEqual(body.activations[body.muscles.index(name)], 0.3)

    def test_a_held_load_asks_for_more(self):
        asked = []
        for load in (None, "4kg@hand_r"):
            body = pneuma.MuscleBody(self.skeleton)
            if load:
                body.hold(load)
            body.reach(self.skeleton.pose({"elbow_r.flexion": 0.1}), 0.1)
            asked.append(np.abs(body.demand[body.driven.index("elbow_r.flexion")]))
        self.assertGreater(asked[1], asked[0] + 0.5)

    def test_survives_targets_that_jump_by_a_radian(self):
        body = pneuma.MuscleBody(self.skeleton)
        home = body.q.copy()
        for joint in ("l5.flexion", "skull.flexion", "elbow_r.flexion", "rib_05_l.inspiration"):
            for sign in (1, -1):
                goal = home.copy()
                goal[body.dofs.index(joint)] += sign
                body.reach(goal, 0.1)
        body.reach(home, 1.5)
        self.assertLess(np.abs(body.q - home).max(), 0.05)
        with self.assertRaises(pneuma.InputError):
            body.reach(np.full(len(home), np.nan), 0.1)

    def test_what_cannot_be_is_refused(self):
        body = pneuma.MuscleBody(self.skeleton)
        with self.assertRaises(pneuma.InputError):
            body.excite(np.full(len(body.muscles), 2.0), 0.1)
        with self.assertRaises(pneuma.InputError):
            body.excite(np.zeros(2), 0.1)
        with self.assertRaises(pneuma.InputError):
            body.reach(body.q.copy(), -1)
        with self.assertRaises(pneuma.InputError):
            body.prescribe("bizeps", 1)
        with self.assertRaises(pneuma.InputError):
            body.hold("5kg@foot")


if __name__ == "__main__":
    unittest.main()
