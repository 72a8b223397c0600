"""Tests the table that the script makes of a program's report, with a fake facepipe."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import images_cuda
import measurement

# The first image takes 50 ms. Each other image takes 6 ms: decoding takes 4 ms of these, and the frame's stages take
# 0.5 ms.
STAND_IN = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
if words == ["--version"]:
    sys.exit()
given = dict(zip(words, words[1:]))
files = sorted(pathlib.Path(words[1]).iterdir())
pathlib.Path(given["--detections"]).write_text({found})
stages = dict(read=dict(p50=9), decode=dict(p50=4), preprocess=dict(p50=.2), inference=dict(p50=.3), mux=dict(p50=9))
pathlib.Path(given["--report"]).write_text(json.dumps(
    [dict(wall_s=.006 if number else .05, stage_ms=stages, engine="e", precision="p", device="d",
          model=dict(kind="k", sha256="0")) for number, _ in enumerate(files)]))
"""


class Images(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("a.jpg", "b.png"):
            (self.folder / name).write_bytes(name.encode())

    def program(self, name, found):
        program = self.folder / name
        program.write_text(STAND_IN.format(python=sys.executable, found=found))
        program.chmod(0o755)
        return program

    def measure(self, *more, found='"the same"'):
        results = self.folder / "results"
        words = ["images_cuda.py", self.folder / "a.jpg", self.folder / "b.png", "--facepipe",
                 self.program("facepipe", found), "--folder", self.folder, "--copies", 3, "--rounds", 2, *more]
        with (mock.patch.object(sys, "argv", [str(word) for word in words]),
              mock.patch.object(measurement, "RESULTS", results), contextlib.redirect_stdout(io.StringIO())):
            images_cuda.main()
        return (results / "images_cuda.txt").read_text()

    def test_copies_are_the_image(self):
        images_cuda.fill(self.folder / "all", self.folder / "b.png", 3)
        files = sorted((self.folder / "all").iterdir())
        self.assertEqual([file.name for file in files], ["0000.png", "0001.png", "0002.png"])
        self.assertEqual({file.read_bytes() for file in files}, {b"b.png"})

    def test_what_is_neither_decoding_nor_the_frame_stands_apart(self):
        text = self.measure()
        for name in ("a.jpg", "b.png"):
            self.assertRegex(text, rf"\n{name} +50\.0 +6\.00 +4\.00 +0\.50 +1\.50  1\.50 to 1\.50\n")

    def test_an_older_program_has_rows_of_its_own(self):
        text = self.measure("--old", self.program("old", '"the same"'))
        self.assertRegex(text, r"\na\.jpg +50\.0.*\nolder program, a\.jpg +50\.0")

    def test_other_detections_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "differs"):
            self.measure("--old", self.program("old", '"others"'))

    def test_one_image_is_no_second(self):
        with self.assertRaisesRegex(SystemExit, "--copies"):
            self.measure("--copies", 1)


if __name__ == "__main__":
    unittest.main()
