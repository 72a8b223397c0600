"""Tests the rows about OpenCV's pipelines. Fake programs replace those that need a device."""
import argparse
import contextlib
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import opencv_cascade
import opencv_chain

FACE = {"box": [10, 10, 20, 20], "score": 0.8, "landmarks": []}
FAR = {"box": [40, 40, 50, 50], "score": 0.9, "landmarks": []}
CHAIN = """#!{python}
import json, pathlib, sys
_, _, clip, precision, faces = sys.argv
pathlib.Path(faces).write_text("".join(json.dumps(dict(file=clip, frame=frame, faces={faces})) + "\\n"
                                       for frame in range(4)))
print(json.dumps(dict(frames=4, fps=50.0, latency_ms=dict(p50=20.5, p99=21.5), cpu_ms=30.25, bytes_to_device=25000000,
                      bytes_to_host=14000000, steps_ms=dict(network=15.0, blob=2.5, decode=1.0))))
"""


class Rows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def chain(self, faces):
        program = self.folder / "program"
        program.write_text(CHAIN.format(python=sys.executable, faces=json.dumps(faces)))
        program.chmod(0o755)
        given = argparse.Namespace(bench_opencv_chain=program, model="m.onnx", frames=4)
        stream = argparse.Namespace(loop_frames=2, file=lambda frames: contextlib.nullcontext("clip.264"))
        return opencv_chain.opencvs_chain(given, stream, "f32")

    def test_the_chains_row_and_the_share_of_own_faces_in_it(self):
        row = self.chain([FACE])
        own = opencv_chain.Row(faces={(0,): [FACE], (1,): [FACE, FAR]})
        self.assertEqual(row.faces, {(0,): [FACE], (1,): [FACE]})  # faces of the first repetition only
        self.assertEqual(row.steps, "network 15.00, blob 2.50, decode 1.00")
        with contextlib.redirect_stdout(None):
            text = opencv_chain.text_of("name", row, own)
        self.assertRegex(text, r"name +50 +20.50 +21.50 +30.25 +25.0000 +14.0000 +2 +2 +3\n")

    def test_a_frame_that_is_missing_is_an_error(self):
        lines = [json.dumps({"file": "a", "frame": 0, "faces": []})]
        with self.assertRaises(KeyError):
            opencv_chain.of_loop(lines, 2)


class Windows(unittest.TestCase):
    def test_a_program_that_does_not_end_has_no_windows(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text("#!/bin/sh\nexec sleep 60\n")
            program.chmod(0o755)
            given = argparse.Namespace(bench_opencv_cascade=program, old_files=pathlib.Path(folder))
            with mock.patch.object(opencv_cascade, "PATIENCE_S", 0.1):
                self.assertIsNone(opencv_cascade.theirs_or_none(given, pathlib.Path("a.xml"), []))

    def test_windows_have_corners(self):
        self.assertEqual(opencv_cascade.windows_of(["1 2 24 24", "5 5 30 31"]), [(1, 2, 25, 26), (5, 5, 35, 36)])

    def test_the_share_that_the_others_have(self):
        windows = [(0, 0, 10, 10), (100, 100, 110, 110)]
        self.assertEqual(opencv_cascade.share_with(windows, [(0, 0, 10, 9)]), 50)
        self.assertEqual(opencv_cascade.share_with(windows, []), 0)
        self.assertEqual(opencv_cascade.share_with([], windows), 100)
        self.assertEqual(opencv_cascade.share_with([(0, 0, 10, 10)], [(0, 0, 10, 4)]), 0)  # the IoU is 0.4


if __name__ == "__main__":
    unittest.main()
