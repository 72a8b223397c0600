"""Tests which folders the script fills and what it refuses, with a fake facepipe."""
import argparse
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import folder_cuda
import measurement

# The fake reports each file's size as its number of frames, and the faces that the test has set.
STAND_IN = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    sys.exit()
given = dict(zip(words, words[1:]))
source = pathlib.Path(words[1])
sizes = [file.stat().st_size for file in sorted(source.iterdir())] if source.is_dir() else [source.stat().st_size]
if "--detections" in given:
    pathlib.Path(given["--detections"]).write_text({found})
pathlib.Path(given["--report"]).write_text(json.dumps(
    [dict(frames=dict(decoded=size), engine="e", precision="p", device="d", model=dict(kind="k", sha256="0"))
     for size in sizes]))
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.loop = self.folder / "loop.264"
        self.loop.write_bytes(b"loop")  # the fake reports four frames

    def test_lengths_come_in_turn_and_are_at_least_what_was_asked_for(self):
        given = argparse.Namespace(loop=self.loop)
        folder_cuda.fill(given, self.folder / "all", 4, 3, [4, 9])
        sizes = [file.stat().st_size for file in sorted((self.folder / "all").iterdir())]
        self.assertEqual(sizes, [4, 12, 4])

    def measure(self, found):
        program = self.folder / "facepipe"
        program.write_text(STAND_IN.format(python=sys.executable, found=found))
        program.chmod(0o755)
        results = self.folder / "results"
        words = ["folder_cuda.py", self.loop, "--facepipe", program, "--folder", self.folder, "--files", 3,
                 "--frames", 4, 9, "--lanes", 2, "--rounds", 1]
        with (mock.patch.object(sys, "argv", [str(word) for word in words]),
              mock.patch.object(measurement, "RESULTS", results), contextlib.redirect_stdout(io.StringIO())):
            folder_cuda.main()
        return (results / "folder_cuda.txt").read_text()

    def test_a_row_for_each_choice_of_devices(self):
        text = self.measure('"the same"')
        self.assertRegex(text, r"--devices 0 +\d+\.\d\d +\d+\.\d\d +\d+\n")
        self.assertRegex(text, r"--devices all +\d+\.\d\d +\d+\.\d\d +\d+\n")
        self.assertIn("20 frames together", text)

    def test_other_detections_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "differs"):
            self.measure('given["--devices"]')


if __name__ == "__main__":
    unittest.main()
