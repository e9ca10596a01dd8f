"""The package as a whole: help, stubs, settings, progress."""

import ast
import inspect
import io
import os
import unittest

import pneuma
from pneuma._progress import Bar, chosen


class Package(unittest.TestCase):
    def test_everything_public_explains_itself(self):
        for name in pneuma.__all__:
            value = getattr(pneuma, name)
            self.assertTrue(inspect.getdoc(value), name)
            if inspect.isclass(value):
                for member, part in inspect.getmembers(value):
                    if not member.startswith("_") and member not in ("args", "with_traceback", "add_note"):
                        self.assertTrue(inspect.getdoc(part), f"{name}.{member}")

    def test_stubs_are_those_of_the_package(self):
        with open(os.path.join(os.path.dirname(pneuma._core.__file__), "__init__.pyi")) as file:
            tree = ast.parse(file.read())
        defined = {node.name for node in tree.body if hasattr(node, "name")}
        self.assertEqual(defined, set(pneuma.__all__))
        (breathe,) = [node for node in tree.body if getattr(node, "name", "") == "breathe"]
        keywords = {argument.arg for argument in breathe.args.kwonlyargs}
        self.assertLessEqual({row["name"] for row in pneuma.schema("breathe")}, keywords)

    def test_schemas_describe_every_setting(self):
        for name in ("person", "session", "session_breath", "act_session", "act_task", "breathe", "live", "motion", "flesh", "act", "fit", "population", "learn"):
            rows = pneuma.schema(name)
            self.assertTrue(rows)
            for row in rows:
                self.assertTrue(row["meaning"], row)
        with self.assertRaises(KeyError):
            pneuma.schema("magic")

    def test_signatures_name_keywords_with_their_defaults(self):
        parameters = inspect.signature(pneuma.breathe).parameters
        self.assertEqual(parameters["style"].default, "casual")
        self.assertEqual(parameters["fps"].default, 30)
        self.assertIn("Breaths per minute", pneuma.breathe.__doc__)

    def test_version_and_data(self):
        self.assertRegex(pneuma.__version__, r"^\d+\.\d+")
        self.assertTrue(os.path.isdir(pneuma.data_folder()))

    def test_what_is_given_is_of_public_classes(self):
        body = pneuma.Body()
        session = pneuma.Session(body)
        for given, kind in (
            (session, pneuma.LiveSession),
            (session.frame(), pneuma.Frame),
            (pneuma.decode_frame(session.frame_bytes()), pneuma.DecodedFrame),
            (body.skeleton("torso"), pneuma.Skeleton),
            (pneuma.breathe(body, seconds=0.1, progress=False), pneuma.Run),
        ):
            with self.subTest(kind=kind):
                self.assertIsInstance(given, kind)
                self.assertEqual(kind.__module__.split(".")[0], "pneuma")

    def test_errors_carry_what_is_known(self):
        error = pneuma.SimulationError("at 2 s", 2.0, "torso", "not finite")
        self.assertEqual((error.time, error.part, error.cause), (2.0, "torso", "not finite"))
        self.assertIsInstance(error, RuntimeError)
        self.assertIsInstance(pneuma.InternalError("ours"), RuntimeError)
        with self.assertRaises(ValueError) as caught:
            pneuma.Body("nowhere.toml")
        self.assertIsInstance(caught.exception, pneuma.InputError)
        self.assertIn("nowhere.toml", caught.exception.file)

    def test_threads(self):
        before = pneuma.thread_count()
        self.assertEqual(pneuma.set_thread_count(1), 1)
        pneuma.set_thread_count(before)


class Progress(unittest.TestCase):
    def test_the_bar_writes_one_line_and_leaves_nothing(self):
        stream = io.StringIO()
        bar = Bar(stream)
        bar("living", 0, 10)
        bar("living", 5, 10)
        self.assertIn("50 %", stream.getvalue())
        bar("living", 10, 10)
        self.assertTrue(stream.getvalue().endswith("\r"))
        self.assertNotIn("\n", stream.getvalue())

    def test_what_progress_means(self):
        self.assertIsNone(chosen(False))
        self.assertIsInstance(chosen(True), Bar)
        self.assertIs(chosen(print), print)
        with self.assertRaises(TypeError):
            chosen(3)


if __name__ == "__main__":
    unittest.main()
