"""Populations and learned breath."""

import os
import tempfile
import unittest

import numpy as np
import pneuma

SMALL = dict(people=2, trials="short", frames=6, held_out=0)


class People(unittest.TestCase):
    def test_who_they_are_follows_from_the_seed(self):
        some = pneuma.people(people=8, seed=3)
        self.assertEqual([p["name"] for p in some][:2], ["p0001", "p0002"])
        self.assertEqual({p["sex"] for p in some}, {"male", "female"})
        self.assertEqual(some, pneuma.people(people=8, seed=3))
        self.assertNotEqual(some, pneuma.people(people=8, seed=4))
        with self.assertRaises(pneuma.InputError) as caught:
            pneuma.people(poeple=8)
        self.assertIn("did you mean 'people'", str(caught.exception))

    def test_a_population_is_learned_from(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "people")
            told = []
            run = pneuma.population(out=out, progress=lambda *a: told.append(a), **SMALL)
            self.assertTrue(run.summary["complete"])
            self.assertTrue(told)
            again = pneuma.population(out=out, progress=False, **SMALL)  # all of it is there
            self.assertEqual(again.summary["data_hash"], run.summary["data_hash"])
            model = pneuma.BreathModel.learn(out, progress=False)
            path = os.path.join(folder, "model.breath")
            model.save(path)
            self.check_model(pneuma.BreathModel(path), model)

    def check_model(self, model, learned):
        self.assertEqual(model.card, learned.card)
        vertices, triangles = model.template
        self.assertGreaterEqual(model.components, 1)
        person = model.person()
        self.assertEqual(person.rest.shape, vertices.shape)
        self.assertFalse(person.rest.flags.writeable)
        np.testing.assert_array_equal(person.triangles, triangles)
        self.assertLessEqual(len(person.weights(0.5e-3)), model.components)
        # Tissue keeps its volume: the skin gains what the lungs do.
        rest, full = (self.volume_inside(x, triangles) for x in (person.rest, person.skin(0.5e-3)))
        self.assertAlmostEqual(full - rest, 0.5e-3, delta=0.05e-3)
        self.assertFalse(np.shares_memory(person.skin(0), person.skin(0)))

    @staticmethod
    def volume_inside(points, triangles):
        a, b, c = (points[triangles[:, k]] for k in range(3))
        return np.einsum("ij,ij->", a, np.cross(b, c)) / 6

    def test_what_is_no_model_is_named(self):
        with tempfile.NamedTemporaryFile(suffix=".breath") as file:
            file.write(b"nothing")
            file.flush()
            with self.assertRaises(pneuma.InputError) as caught:
                pneuma.BreathModel(file.name)
            self.assertIn(file.name, str(caught.exception))
        with self.assertRaises(pneuma.InputError):
            pneuma.BreathModel.learn("nowhere")


if __name__ == "__main__":
    unittest.main()
