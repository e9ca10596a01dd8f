"""Populations and learned breath."""

import json
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
            self.check_folder(pneuma.Population(out), run.summary)
            model = pneuma.BreathModel.learn(out, progress=False)
            path = os.path.join(folder, "model.breath")
            model.save(path)
            self.check_model(pneuma.BreathModel(path), model)

    def check_folder(self, people, manifest):
        self.assertEqual(people.manifest["data_hash"], manifest["data_hash"])
        self.assertEqual([p["name"] for p in people.people], ["p0001", "p0002"])
        vertices, triangles = people.template
        rest = people.rest("p0002")
        self.assertEqual(rest.shape, vertices.shape)
        for trial in people.trials:
            skins, samples = people.skins("p0002", trial), people.samples("p0002", trial)
            self.assertEqual(skins.shape, (len(samples["time"]), *rest.shape))
            self.assertIsInstance(skins, np.memmap)
            self.assertFalse(skins.flags.writeable)
            # Skin gains what the lungs do: files of skins and of numbers tell of the same frames, in the same units.
            for skin, volume in zip(skins, samples["lung_volume"]):
                gained = self.volume_inside(skin.astype(float), triangles) - self.volume_inside(rest.astype(float), triangles)
                self.assertAlmostEqual(gained, volume, delta=5e-6)
        for call in (lambda: people.skins("p0002", "yawn"), lambda: people.rest("p0009")):
            with self.assertRaises(pneuma.InputError):
                call()

    def test_a_folder_that_is_no_population_or_damaged_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(pneuma.InputError) as caught:
                pneuma.Population(folder)
            self.assertIn("manifest.json", caught.exception.file)
            person = os.path.join(folder, "people", "p0001")
            os.makedirs(person)
            manifest = {"schema": 1, "vertices": 4, "trials": [{"name": "deep"}],
                        "people": [{"name": "p0001", "done": True}, {"name": "p0002", "done": False}]}
            with open(os.path.join(folder, "manifest.json"), "w") as file:
                json.dump(manifest, file)
            people = pneuma.Population(folder)
            cache = os.path.join(person, "deep.pc2")
            header = b"POINTCACHE2\0" + np.array([1, 4], "<i4").tobytes() + np.array([0, 1], "<f4").tobytes()
            whole = header + np.array([2], "<i4").tobytes() + np.arange(24, dtype="<f4").tobytes()
            for size in (0, 20, len(whole) - 4):
                with open(cache, "wb") as file:
                    file.write(whole[:size])
                with self.assertRaises(pneuma.InputError) as caught:
                    people.skins("p0001", "deep")
                self.assertEqual(caught.exception.file, cache)
            with open(cache, "wb") as file:
                file.write(whole)
            np.testing.assert_array_equal(people.skins("p0001", "deep"), np.arange(24).reshape(2, 4, 3))
            with self.assertRaises(pneuma.InputError):
                people.skins("p0002", "deep")  # not done
            for text in ("", "time [s],flow [gallons]\n1,2\n", "time [s]\nsoon\n"):
                with open(os.path.join(person, "deep.csv"), "w") as file:
                    file.write(text)
                with self.assertRaises(pneuma.InputError):
                    people.samples("p0001", "deep")

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
        # A skin is its components by their weights: the arrays are all that a game needs.
        weights = person.weights(0.8e-3, 0.2e-3, 0.7)
        self.assertEqual(person.components.shape, (len(weights), *vertices.shape))
        self.assertEqual(person.deviations.shape, weights.shape)
        skin = person.rest + np.tensordot(weights, person.components, 1)
        np.testing.assert_allclose(skin, person.skin(0.8e-3, 0.2e-3, 0.7), rtol=0, atol=1e-12)
        stiller = model.person(pose_intensity=0)
        self.assertGreater(np.abs(stiller.skin(0.5e-3) - person.skin(0.5e-3)).max(), 1e-5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "person.breathshape")
            person.bake(path)
            self.assertTrue(1e5 < os.path.getsize(path) < 1e6)

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
