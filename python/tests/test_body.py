"""Bodies, persons, skeletons, muscle paths and strengths."""

import gc
import math
import unittest

import numpy as np

import pneuma


class Bodies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.body = pneuma.Body()

    def test_a_body_is_fitted_to_its_person(self):
        woman = self.body.fitted(sex="female", height=1.6, age=60)
        self.assertIsInstance(woman, pneuma.Body)
        self.assertEqual(woman.person["sex"], "female")
        self.assertEqual(self.body.person["sex"], "male")
        self.assertLess(woman.lung_volumes["tlc"], self.body.lung_volumes["tlc"])
        self.assertEqual(woman.hash, self.body.hash)  # the same measured body
        self.assertIn("female, 1.60 m", repr(woman))

    def test_a_height_above_three_is_in_centimetres(self):
        self.assertAlmostEqual(self.body.fitted(height=182).person["height"], 1.82)

    def test_lists_name_what_there_is(self):
        self.assertIn("sternum", " ".join(self.body.bones))
        self.assertIn("upper-body", self.body.articulations)
        self.assertIn("supine", self.body.postures)
        self.assertIn("[[", self.body.text())

    def test_bone_meshes_are_closed_surfaces_of_ones_own(self):
        vertices, triangles = self.body.bone_mesh("femur_l")
        self.assertEqual(vertices.shape[1], 3)
        self.assertTrue(0 < triangles.max() < len(vertices))
        self.assertTrue(vertices.flags.writeable)
        edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
        _, counts = np.unique(edges, axis=0, return_counts=True)
        self.assertTrue((counts == 2).all())
        with self.assertRaisesRegex(pneuma.InputError, "did you mean 'femur_l'"):
            self.body.bone_mesh("femur_ll")

    def test_strengths_stand_beside_what_people_reach(self):
        (elbow,) = self.body.strengths(only="elbow_flexion")
        self.assertEqual(elbow["angle"].shape, elbow["torque"].shape)
        self.assertAlmostEqual(elbow["peak"], elbow["torque"].max(), places=9)
        self.assertTrue(elbow["people"]["low"] < elbow["people"]["mean"] < elbow["people"]["high"])
        weaker = self.body.fitted(sex="female").strengths(only="elbow_flexion")[0]
        self.assertLess(weaker["peak"], elbow["peak"])
        with self.assertRaises(pneuma.InputError):
            self.body.strengths(model="magic")


class Errors(unittest.TestCase):
    def test_an_unknown_setting_names_the_nearest(self):
        with self.assertRaises(pneuma.InputError) as caught:
            pneuma.Body(heigt=1.7)
        self.assertEqual(caught.exception.field, "heigt")
        self.assertEqual(caught.exception.diagnostics[0]["nearest"], "height")
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_broken_file_is_named_with_its_line(self):
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('name = "x"\n\n[[bone]]\nname = 7\n')
            file.flush()
            with self.assertRaises(pneuma.InputError) as caught:
                pneuma.Body(file.name)
        self.assertTrue(caught.exception.file.endswith(".toml"))
        self.assertGreaterEqual(caught.exception.line, 1)

    def test_all_mistakes_come_together(self):
        with self.assertRaises(pneuma.InputError) as caught:
            pneuma.Session(style="casuall", effort=-1, fps="many")
        self.assertEqual({d["field"] for d in caught.exception.diagnostics}, {"style", "effort", "fps"})

    def test_what_cannot_be_a_setting_is_refused(self):
        with self.assertRaisesRegex(pneuma.InputError, "object"):
            pneuma.Session(effort=object())
        with self.assertRaises(TypeError):
            pneuma.Session(body="human")


class Skeletons(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.skeleton = pneuma.Body().skeleton("upper-body")

    def test_counts_fit_together(self):
        s = self.skeleton
        self.assertEqual(len(s.links), len(s.parents))
        self.assertEqual(len(s.dofs), s.dof_count)
        self.assertEqual(s.neutral.shape, (s.position_count,))
        self.assertEqual(len(s.muscles), len(s.rest_lengths))
        self.assertTrue(all(parent < link for link, parent in enumerate(s.parents)))
        self.assertTrue(30 < s.masses.sum() < 80)

    def test_views_keep_their_owner_and_cannot_be_written(self):
        lengths = pneuma.Body().skeleton("figure").rest_lengths
        gc.collect()
        self.assertTrue((lengths > 0).all())
        self.assertFalse(lengths.flags.owndata)
        with self.assertRaises(ValueError):
            lengths[0] = 1

    def test_moment_arms_are_the_derivative_of_lengths(self):
        s = self.skeleton
        joint = s.dofs.index("elbow_l.flexion")
        low, high = (s.pose({"elbow_l.flexion": 1 + e}) for e in (-1e-5, 1e-5))
        difference = (s.muscle_lengths(high) - s.muscle_lengths(low)) / 2e-5
        arms = s.moment_arms(s.pose({"elbow_l.flexion": 1.0}))
        self.assertEqual(arms.shape, (len(s.muscles), s.dof_count))
        np.testing.assert_allclose(arms[:, joint], difference, atol=1e-8)
        self.assertGreater(np.abs(arms[:, joint]).max(), 0.02)

    def test_paths_are_as_long_as_their_lengths(self):
        q = self.skeleton.pose({"elbow": 0.8})
        lengths = [np.linalg.norm(np.diff(p, axis=0), axis=1).sum() for p in self.skeleton.muscle_paths(q)]
        np.testing.assert_allclose(lengths, self.skeleton.muscle_lengths(q), rtol=1e-12)

    def test_poses_are_rigid_and_the_mass_matrix_is_positive(self):
        poses = self.skeleton.link_poses(self.skeleton.pose({"elbow_l.flexion": 1.2}))
        self.assertEqual(poses.shape, (len(self.skeleton.links), 3, 4))
        turn = poses[:, :, :3] @ poses[:, :, :3].transpose(0, 2, 1)
        np.testing.assert_allclose(turn, np.broadcast_to(np.eye(3), turn.shape), atol=1e-12)
        mass = self.skeleton.mass_matrix()
        np.testing.assert_allclose(mass, mass.T, atol=1e-12)
        self.assertGreater(np.linalg.eigvalsh(mass).min(), 0)

    def test_wrong_sizes_and_names_are_refused(self):
        with self.assertRaises(pneuma.InputError):
            self.skeleton.muscle_lengths(np.zeros(3))
        with self.assertRaisesRegex(pneuma.InputError, "elbow"):
            self.skeleton.pose({"elbo_l.flexion": 1})
        with self.assertRaises(pneuma.InputError):
            pneuma.Body().skeleton("upperbody")

    def test_mjcf_is_xml_with_every_muscle(self):
        import xml.etree.ElementTree as ET

        root = ET.fromstring(self.skeleton.to_mjcf())
        self.assertEqual(len(root.findall("./tendon/spatial")) >= len(self.skeleton.muscles), True)

    def test_posture(self):
        skeleton = pneuma.Body().skeleton("whole")
        lying = skeleton.link_poses(skeleton.posture("supine"))[:, 1, 3]
        self.assertLess(lying.max(), 0.6)
        self.assertTrue(math.isfinite(lying.min()))


if __name__ == "__main__":
    unittest.main()
