"""Tests the part of Viola-Jones in ./dev experiments --quick: it makes pictures, measures on the CPU, and reports."""
import unittest

from quick_run import QuickRun, built


class Quick(QuickRun, unittest.TestCase):
    PAPER = "003"
    PACKAGE = "viola_jones"
    OPTIONS = ("--repeats", "1")
    PROGRAMS = ("bench_viola_jones", "bench_cascade")

    def test_pictures_are_of_the_photo_and_differ(self):
        pictures = [path.read_bytes() for path in
                    sorted((self.inputs / "viola_jones").glob("city_*.grey"))]
        self.assertEqual([len(picture) for picture in pictures], 2 * [640 * 480])
        self.assertNotEqual(*pictures)

    def test_the_pictures_of_table_1_have_the_sizes_in_their_names(self):
        pictures = list((self.inputs / "viola_jones").glob("table1_*.grey"))
        self.assertEqual(len(pictures), 6)
        for picture in pictures:
            width, height = picture.stem.removeprefix("table1_").split("x")
            self.assertEqual(picture.stat().st_size, int(width) * int(height), picture.name)

    def test_the_plain_loop_counts_all_windows(self):
        if not built("bench_viola_jones"):
            self.skipTest("bench_viola_jones is not built")
        work = [row for row in self.rows("work") if row["picture"] == "city_0"]
        self.assertEqual([row["scale"] for row in work], [str(scale) for scale in range(18)])
        self.assertEqual(sum(int(row["windows"]) for row in work), 1367493)
        stages = [int(row["left"]) for row in self.rows("stages") if row["picture"] == "city_0"]
        self.assertEqual(len(stages), 22)
        self.assertEqual(stages, sorted(stages, reverse=True))
        self.assertEqual(stages[-1], sum(int(row["found"]) for row in work))
        self.assertGreater(stages[-1], 50)  # the photo contains faces
        self.assertIn("Table 2, 18 launches and their grids: held", self.report)

    def test_our_detector_finds_faces_too(self):
        if not built("bench_cascade"):
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
        self.assertEqual("windows" in self.facts["missing"], not built("bench_viola_jones"))


if __name__ == "__main__":
    unittest.main()
