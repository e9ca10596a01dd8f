"""The notebooks run from top to bottom, and are committed without outputs."""

import glob
import json
import os
import runpy
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOKS = sorted(glob.glob(os.path.join(HERE, "..", "notebooks", "*.ipynb")))

try:
    import matplotlib

    matplotlib.use("Agg")
except ImportError:
    matplotlib = None


class Notebooks(unittest.TestCase):
    def test_none_holds_outputs(self):
        self.assertEqual(len(NOTEBOOKS), 5)
        for path in NOTEBOOKS:
            with open(path) as file:
                for cell in json.load(file)["cells"]:
                    self.assertFalse(cell.get("outputs"), path)
                    self.assertIsNone(cell.get("execution_count"), path)

    def run_notebook(self, name):
        if matplotlib is None:
            self.skipTest("python3-matplotlib is not installed")
        with open(os.path.join(HERE, "..", "notebooks", name + ".ipynb")) as file:
            cells = json.load(file)["cells"]
        names = {"__name__": "__main__"}
        for number, cell in enumerate(cells):
            if cell["cell_type"] == "code":
                code = compile("".join(cell["source"]), f"{name}.ipynb, cell {number + 1}", "exec")
                exec(code, names)
        import matplotlib.pyplot as plt

        self.assertTrue(plt.get_fignums())
        plt.close("all")

    def test_quiet_breath(self):
        self.run_notebook("quiet_breath")

    def test_muscles_and_control(self):
        self.run_notebook("muscles_and_control")

    def test_population(self):
        self.run_notebook("population")

    @unittest.skipUnless(os.environ.get("PNEUMA_PROVE") == "1", "minutes: make prove-notebooks")
    def test_own_character(self):
        self.run_notebook("own_character")

    @unittest.skipUnless(os.environ.get("PNEUMA_PROVE") == "1", "minutes: make prove-notebooks")
    def test_flesh_and_rendering(self):
        os.environ["PNEUMA_NOTEBOOK_PREVIEW"] = "1"
        self.run_notebook("flesh_and_rendering")

    def test_the_example_environment_can_be_stepped(self):
        runpy.run_path(os.path.join(HERE, "..", "examples", "reaching_environment.py"), run_name="__main__")


if __name__ == "__main__":
    unittest.main()
