"""Live sessions: the same promises as in the library, seen from Python."""

import gc
import os
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import pneuma


class Sessions(unittest.TestCase):
    def setUp(self):
        self.session = pneuma.Session(record_seconds=4)

    def test_breathes_and_records(self):
        self.session.advance(5)
        history = self.session.history()
        self.assertAlmostEqual(history["time"][-1] - history["time"][0], 4, delta=0.1)
        self.assertTrue(350 < history["lung_volume"].max() - history["lung_volume"].min() < 700)
        self.assertEqual(history["flow"].shape, history["time"].shape)
        self.assertTrue(history["drive_diaphragm"].max() > 0)

    def test_frames_are_snapshots_whose_views_stay(self):
        self.session.advance(0.5)
        frame = self.session.frame()
        points, before = frame.points("diaphragm"), frame.points("diaphragm").copy()
        self.assertFalse(points.flags.owndata)
        time_then = frame.time
        del frame
        gc.collect()
        self.session.advance(1)
        np.testing.assert_array_equal(points, before)
        now = self.session.frame()
        self.assertGreater(now.time, time_then)
        self.assertGreater(np.abs(now.points("diaphragm") - before).max(), 1e-4)
        self.assertEqual(now["lung_volume"], now.scalars["breath.lung_volume"])
        with self.assertRaisesRegex(pneuma.InputError, "lung_volume"):
            now["lung_volum"]
        with self.assertRaises(pneuma.InputError):
            now.points("skin")

    def test_frame_bytes_are_the_frame(self):
        self.session.advance(0.4)
        data, frame = self.session.frame_bytes(), self.session.frame()
        decoded = pneuma.decode_frame(data)
        self.assertEqual(decoded.time, frame.time)
        np.testing.assert_array_equal(decoded.scalars, list(frame.scalars.values()))
        np.testing.assert_allclose(decoded.link_poses, frame.link_poses, atol=2e-7)
        first = len(frame.points("diaphragm"))
        np.testing.assert_allclose(decoded.points[:first], frame.points("diaphragm"), atol=2e-7)
        self.assertFalse(decoded.points.flags.owndata)
        with self.assertRaises(pneuma.InputError):
            pneuma.decode_frame(data[:-1])
        with self.assertRaises(pneuma.InputError):
            pneuma.decode_frame(b"")

    def test_layout_explains_the_frame(self):
        layout = self.session.layout
        self.assertEqual(len(layout["links"]), len(self.session.frame().link_poses))
        sets = {s["name"]: s for s in layout["point_sets"]}
        self.assertLess(sets["gut"]["triangles"].max(), sets["gut"]["count"])
        self.assertIn('"digest"', self.session.layout_json())

    def test_saved_and_opened_it_ends_with_the_same_bits(self):
        self.session.advance(0.7)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "moment.session")
            self.session.save(path)
            other = pneuma.Session.open(path)
        self.assertIsInstance(other, pneuma.Session)
        for session in (self.session, other):
            session.set(style="deep", rate=12)
            session.advance(0.5)
        self.assertEqual(self.session.state_hash, other.state_hash)
        self.assertEqual(self.session.breath["style"], "deep")

    def test_a_state_can_be_taken_back(self):
        self.session.advance(0.3)
        state, then = self.session.save_bytes(), self.session.state_hash
        self.session.advance(0.3)
        self.session.load_bytes(state)
        self.assertEqual(self.session.state_hash, then)
        with self.assertRaises(pneuma.InputError):
            self.session.load_bytes(b"nonsense")

    def test_follows_a_target(self):
        for _ in range(80):
            self.session.target(0.4e-3)
            self.session.advance(0.025)
        self.assertAlmostEqual(self.session.frame()["lung_volume"], 400, delta=40)
        self.session.release()

    def test_exports_a_glb(self):
        self.session.set(rate=30)
        self.session.advance(4)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "breath.glb")
            self.session.export_glb(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(4), b"glTF")

    def test_the_gil_is_free_while_time_advances(self):
        counted, done = 0, threading.Event()

        def work():
            self.session.advance(3)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            counted += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(counted, 10)

    def test_two_threads_do_not_hurt_each_other(self):
        threads = [threading.Thread(target=lambda: self.session.advance(0.4)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            self.session.frame()
        for thread in threads:
            thread.join()
        self.assertAlmostEqual(self.session.time, 1.2, places=6)

    def test_an_interrupt_stops_between_steps(self):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.session.advance(36000)
        timer.join()
        stopped = self.session.time
        self.assertLess(stopped, 36000)
        self.session.advance(0.1)
        self.assertAlmostEqual(self.session.time, stopped + 0.1, places=6)

    def test_progress_is_told(self):
        told = []
        self.session.advance(1, progress=lambda title, done, total: told.append((title, done, total)))
        self.assertEqual(told[0][1:], (0, 1))
        self.assertEqual(told[-1][1:], (1, 1))
        with self.assertRaises(ZeroDivisionError):
            self.session.advance(60, progress=lambda title, done, total: 1 / (done * 0))

    def test_help_lists_every_setting(self):
        import inspect

        names = {row["name"] for row in pneuma.schema("session") + pneuma.schema("session_breath")}
        self.assertLessEqual(names, set(inspect.signature(pneuma.Session.__init__).parameters))
        for name in names:
            self.assertIn(name, pneuma.Session.__init__.__doc__)


if __name__ == "__main__":
    unittest.main()
