"""Tests the sampling of device memory, on handmade samples and with a fake nvidia-smi."""
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

import device_memory

SAMPLES = [(10.0, 500), (11.0, 800), (12.0, 900), (13.0, 900), (14.0, 700)]


class Samples(unittest.TestCase):
    def test_the_last_one_up_to_a_moment_counts(self):
        self.assertEqual(device_memory.at(SAMPLES, 11.9), 800)
        self.assertEqual(device_memory.at(SAMPLES, 12.0), 900)
        self.assertEqual(device_memory.at(SAMPLES, 9.0), 500)
        self.assertEqual(device_memory.at(SAMPLES, 99.0), 700)

    def test_evenly_apart(self):
        self.assertEqual(device_memory.over(SAMPLES, 10, 14), [500, 800, 900, 900, 700])
        self.assertEqual(device_memory.over(SAMPLES, 11, 13, points=3), [800, 900, 900])


class Watching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        path = mock.patch.dict(os.environ, {"PATH": f"{folder.name}:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)

    def stand_in(self, text):
        program = self.folder / "nvidia-smi"
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)

    def test_takes_what_the_program_tells_until_the_block_ends(self):
        self.stand_in("echo 11\necho 12\nexec sleep 60\n")
        with device_memory.Watch() as watch:
            deadline = time.monotonic() + 30
            while len(watch.samples) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
        self.assertEqual([mib for _, mib in watch.samples], [11, 12])

    def test_begins_with_an_error_where_nothing_is_told(self):
        self.stand_in("echo No devices were found\nexit 6\n")
        with self.assertRaisesRegex(RuntimeError, "tells nothing"):
            device_memory.Watch().__enter__()


if __name__ == "__main__":
    unittest.main()
