"""Viola-Jones' part of ./dev experiments --quick: pictures are made, measured on the CPU, and reported."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["FACEPIPE_SOURCE"])
EXPERIMENTS = SOURCE / "bench" / "experiments"
BENCH_VIOLA_JONES = os.environ.get("FACEPIPE_BENCH_VIOLA_JONES", "")  # where it is built
BENCH_CASCADE = os.environ.get("FACEPIPE_BENCH_CASCADE", "")


class Quick(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name) / "results"
        subprocess.run([sys.executable, "-B", EXPERIMENTS / "measure.py", "--paper", "003", "--quick", "--repeats", "1",
                        "--facepipe", os.environ["FACEPIPE_PROGRAM"],
                        "--bench-viola-jones", BENCH_VIOLA_JONES or "not-built",
                        "--bench-cascade", BENCH_CASCADE or "not-built", "--inputs", cls.scratch.name,
                        "--to", cls.folder], check=True)
        subprocess.run([sys.executable, "-B", EXPERIMENTS / "draw.py", cls.folder, "--text"], check=True)
        cls.facts = json.loads((cls.folder / "viola_jones" / "facts.json").read_text())
        cls.report = (cls.folder / "REPORT.md").read_text()

    def rows(self, table):
        with open(self.folder / "viola_jones" / f"{table}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_pictures_are_of_the_photo_and_differ(self):
        pictures = [path.read_bytes() for path in
                    sorted((pathlib.Path(self.scratch.name) / "viola_jones").glob("*.grey"))]
        self.assertEqual([len(picture) for picture in pictures], 2 * [640 * 480])
        self.assertNotEqual(*pictures)

    def test_the_plain_loop_counts_all_windows(self):
        if not BENCH_VIOLA_JONES:
            self.skipTest("bench_viola_jones is not built")
        work = [row for row in self.rows("work") if row["picture"] == "city_0"]
        self.assertEqual([row["scale"] for row in work], [str(scale) for scale in range(18)])
        self.assertEqual(sum(int(row["windows"]) for row in work), 1367493)
        stages = [int(row["left"]) for row in self.rows("stages") if row["picture"] == "city_0"]
        self.assertEqual(len(stages), 22)
        self.assertEqual(stages, sorted(stages, reverse=True))
        self.assertEqual(stages[-1], sum(int(row["found"]) for row in work))
        self.assertGreater(stages[-1], 50)  # of the faces in the photo
        self.assertIn("Table 2, 18 launches and their grids: held", self.report)

    def test_our_detector_finds_faces_too(self):
        if not BENCH_CASCADE:
            self.skipTest("bench_cascade is not built")
        ours = [row for row in self.rows("cpu") if row["who"].startswith("facepipe, CPU")]
        self.assertEqual(len(ours), 2)
        for row in ours:
            self.assertGreater(int(row["found"]), 10)

    def test_what_could_not_be_measured_is_told(self):
        for part in ("variants", "scale-times", "devices", "mpi"):
            self.assertEqual(self.facts["missing"][part], "no GPU here, or the CPU was asked for")
        for why in self.facts["missing"].values():
            self.assertIn(why, self.report)
        self.assertEqual("windows" in self.facts["missing"], not BENCH_VIOLA_JONES)


if __name__ == "__main__":
    unittest.main()
