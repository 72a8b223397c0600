"""Tests ./dev experiments --quick: it makes inputs, measures on the CPU, and reports."""
import pathlib
import subprocess
import sys
import unittest

from quick_run import EXPERIMENTS, SOURCE, QuickRun, built


def python_that_draws():
    """Returns a Python with matplotlib: this one, or that of ./dev experiments. Returns None if neither has it."""
    for python in (sys.executable, SOURCE / "build" / "experiments-python" / "bin" / "python"):
        if pathlib.Path(python).exists() and subprocess.run(
                [python, "-c", "import matplotlib"], capture_output=True).returncode == 0:
            return python
    return None


class Suppression(QuickRun, unittest.TestCase):
    PAPER = "000"
    PACKAGE = "nms"
    PROGRAMS = ("bench_nms", "bench_nms_papers_cpu")

    def test_each_frame_has_a_line_a_rule(self):
        rows = self.rows("pipeline")
        for name in ("crowd", "mosaic"):
            for rule in ("greedy", "matrix as published"):
                frames = [int(row["frame"]) for row in rows if (row["input"], row["rule"]) == (name, rule)]
                self.assertEqual(frames, list(range(6)))
        self.assertEqual({row["repeats"] for row in rows}, {"3"})

    def test_a_mosaic_has_four_times_the_candidates_or_so(self):
        crowd, mosaic = ([int(row["candidates"]) for row in self.rows("pipeline")
                          if (row["input"], row["rule"]) == (name, "greedy")] for name in ("crowd", "mosaic"))
        for one, four in zip(crowd, mosaic):
            self.assertGreater(four, 3 * one)
            self.assertLess(four, 5 * one)

    def test_uncovered_faces_bring_candidates(self):
        rows = [row for row in self.rows("differences") if row["input"] == "growing"]
        counts = [int(row["candidates"]) for row in rows]
        self.assertGreater(len(counts), 20)
        self.assertGreater(counts[-1], 5 * counts[0])
        for row in rows:
            self.assertLessEqual(int(row["any_iou"]), int(row["greedy_iou"]))

    def test_programs_keep_what_the_rules_say(self):
        if not built("bench_nms"):
            self.skipTest("bench_nms is not built")
        expected = {row["frame"]: row for row in self.rows("differences") if row["input"] == "growing"}
        rows = self.rows("growing")
        self.assertGreater(len(rows), 80)
        for row in rows:
            if row["who"].startswith("cpu_nms"):  # R-CNN's code, in which boxes are a pixel larger
                continue
            column = {"matrix as published, CPU": "any_published", "fast, CPU": "any_iou"}.get(
                row["who"], "greedy_iou")
            self.assertEqual(row["kept"], expected[row["index"]][column], row)

    def test_what_could_not_be_measured_is_told(self):
        missing = self.facts["missing"]
        self.assertEqual(missing["nms-cuda"], "no GPU here, or the CPU was asked for")
        self.assertIn("WIDER FACE", missing["accuracy"])
        self.assertEqual("nms-cpu" in missing, not all(map(built, self.PROGRAMS)))
        for part in ("nms-printed", "nms-chips", "nms-energy", "frame-energy"):
            self.assertEqual(missing[part], "no GPU here, or the CPU was asked for")
        self.assertNotIn("pipeline", missing)
        for why in missing.values():
            self.assertIn(why, self.report)

    def test_report_names_stand_ins_machine_and_command(self):
        for one in self.facts["inputs"].values():
            self.assertTrue(one["stand_in"])
            self.assertIn("stand-in", one["label"])
            self.assertIn(one["label"], self.report)
        for part in ("pipeline", "differences"):
            self.assertIn(self.facts["parts"][part]["machine"], self.report)
            self.assertIn(self.facts["parts"][part]["command"], self.report)
        self.assertIn("Fig. 9: core counts\n\nNot measured: no GPU here", self.report)

    def test_figures_are_drawn(self):
        python = python_that_draws()
        if not python:
            self.skipTest("no Python with matplotlib here: ./dev experiments makes one")
        subprocess.run([python, "-B", EXPERIMENTS / "draw.py", self.folder], check=True)
        text = (self.folder / "REPORT.md").read_text()
        self.assertIn("![crowd_frames](nms/figures/crowd_frames.png)", text)
        self.assertGreater((self.folder / "nms" / "figures" / "crowd_frames.png").stat().st_size, 10000)
        self.assertIn("stand-in for crowd", (self.folder / "REPORT.md").read_text())


class ChannelFeatures(QuickRun, unittest.TestCase):
    PAPER = "004"
    PACKAGE = "acf"
    OPTIONS = ("--repeats", "1")
    PROGRAMS = ("bench_acf",)

    def test_parts_of_the_cpus_time_add_up(self):
        if not built("bench_acf"):
            self.skipTest("bench_acf is not built")
        rows = self.rows("cpu")
        self.assertEqual({(row["input"], row["scales"]) for row in rows},
                         {(name, scales) for name in ("crowd", "photo") for scales in ("one", "all")})
        by_part = {}
        for row in rows:
            by_part.setdefault((row["input"], row["scales"], row["threads"]), {})[row["part"]] = row
        for parts in by_part.values():
            ms = {part: float(row["median_ms"]) for part, row in parts.items()}
            self.assertAlmostEqual(ms["features"] + ms["evaluation"], ms["total"], delta=0.01 * ms["total"])
        windows = {row["scales"]: int(row["windows"]) for row in rows}
        self.assertGreater(windows["all"], 2 * windows["one"])

    def test_all_detectors_are_timed_that_have_a_model_here(self):
        names = {row["detector"] for row in self.rows("detectors_cpu")}
        self.assertTrue({"CenterFace", "ACF, own size", "ACF, faces from 20"} <= names, names)
        self.assertIn("YuNet: no model was named", self.facts["missing"]["detectors-cpu, in part"])

    def test_what_could_not_be_measured_is_told(self):
        missing = self.facts["missing"]
        self.assertEqual(missing["acf-cuda"], "no GPU here, or the CPU was asked for")
        self.assertIn("--acf-inria", missing["pedestrians"])
        self.assertIn("WIDER FACE", missing["acf-accuracy"])
        for why in missing.values():
            self.assertIn(why, self.report)
        self.assertIn("Fig. 4: accuracy\n\nNot measured: no WIDER FACE folder", self.report)


if __name__ == "__main__":
    unittest.main()
