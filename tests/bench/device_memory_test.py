"""Memory over time from samples, and from a program in nvidia-smi's place."""
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

import device_memory

SAMPLES = [(10.0, 500), (11.0, 800), (12.0, 900), (13.0, 900), (14.0, 700)]


class Samples(unittest.TestCase):
    def test_the_nearest_counts(self):
        self.assertEqual(device_memory.at(SAMPLES, 11.4), 800)
        self.assertEqual(device_memory.at(SAMPLES, 99.0), 700)

    def test_evenly_apart(self):
        self.assertEqual(device_memory.over(SAMPLES, 10, 14), [500, 800, 900, 900, 700])
        self.assertEqual(device_memory.over(SAMPLES, 11, 13, points=3), [800, 900, 900])

    def test_none_is_an_error(self):
        with self.assertRaises(ValueError):
            device_memory.at([], 1.0)


class Watching(unittest.TestCase):
    def test_takes_what_the_program_tells_until_the_block_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "nvidia-smi"
            program.write_text("#!/bin/sh\necho 11\necho 12\nexec sleep 60\n")
            program.chmod(0o755)
            path = f"{folder}:{os.environ['PATH']}"
            with mock.patch.dict(os.environ, {"PATH": path}), device_memory.Watch() as watch:
                deadline = time.monotonic() + 30
                while len(watch.samples) < 2 and time.monotonic() < deadline:
                    time.sleep(0.01)
        self.assertEqual([mib for _, mib in watch.samples], [11, 12])


if __name__ == "__main__":
    unittest.main()
