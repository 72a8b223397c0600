"""Tests the figures that are computed from latency files and progress lines."""
import unittest

import frame_times
from frame_times import FrameTimes

HEADER = ("file,frame,pts_s," + ",".join(f"{name}_begin_ms,{name}_end_ms" for name in frame_times.STAGES) +
          ",total_ms,latency_ms,candidates,faces")


def line(frame, begin, overlay=True):
    """Returns a line of the latency file. Reading takes 1 ms; decode, preprocess, inference, nms and overlay take 10 ms
    each."""
    cells = [f"{begin},{begin + 1}"]
    for place in range(4):
        cells.append(f"{begin + 1 + 10 * place},{begin + 11 + 10 * place}")
    cells.append(f"{begin + 41},{begin + 51}" if overlay else ",")
    return f"a.mp4,{frame},0.04,{','.join(cells)},,,,,51,40,{400 + frame},7"


class LatencyFile(unittest.TestCase):
    def test_frames_from_the_first_one_wanted(self):
        frames = frame_times.read([HEADER, line(198, 0), line(199, 20), line(200, 40), line(201, 60)], 199)
        self.assertEqual([frame.frame for frame in frames], [199, 200, 201])
        self.assertEqual(frames[0].stages["decode"], (21.0, 31.0))
        self.assertEqual(frames[0].stages["overlay"], (61.0, 71.0))
        self.assertNotIn("encode", frames[0].stages)
        self.assertEqual((frames[0].total_ms, frames[0].latency_ms, frames[0].candidates), (51, 40, 599))

    def test_too_few_frames_are_an_error(self):
        with self.assertRaises(ValueError):
            frame_times.read([HEADER, line(0, 0), line(200, 20)], 200)

    def test_rate_counts_from_the_last_stage_that_ran(self):
        frames = frame_times.read([HEADER, line(0, 0), line(1, 20), line(2, 40)], 0)
        self.assertAlmostEqual(frame_times.rate(frames), 50.0)

    def test_busy_is_the_share_of_time_with_a_frame_in_the_stage(self):
        frames = frame_times.read([HEADER, line(0, 0), line(1, 20), line(2, 40)], 0)
        self.assertAlmostEqual(frame_times.busy(frames, ["decode"]), 30 / 50)
        self.assertAlmostEqual(frame_times.busy(frames, ["decode", "preprocess"]), 1.0)
        self.assertEqual(frame_times.busy(frames, ["encode"]), 0.0)

    def test_a_stage_that_not_every_frame_went_through(self):
        frames = frame_times.read([HEADER, line(0, 0), line(1, 20, overlay=False), line(2, 40)], 0)
        self.assertAlmostEqual(frame_times.busy(frames, ["overlay"]), 20 / 50)


class Arithmetic(unittest.TestCase):
    def test_percentiles_are_by_the_nearest_rank(self):
        values = list(range(100, 0, -1))
        self.assertEqual(frame_times.percentiles(values), (50, 95, 99))
        self.assertEqual(frame_times.percentiles([3.0]), (3.0, 3.0, 3.0))
        self.assertEqual(frame_times.percentile([1, 2], 0.5), 1)

    def test_intervals_within_others_count_once(self):
        self.assertEqual(frame_times.covered([(0, 10), (2, 3), (5, 12), (20, 21)]), 13)

    def test_end_of_the_stages_named(self):
        frame = FrameTimes(0, {"read": (1, 2), "nms": (5, 9), "encode": (7, 30)}, 0, 0, 0, 0)
        self.assertEqual(frame.end(("read", "nms")), 9)
        self.assertEqual(frame.begin(("nms", "encode")), 5)


class ProgressLines(unittest.TestCase):
    def test_rate_begins_at_the_frame_and_ends_with_the_last_that_moved(self):
        samples = [(0, 0), (1, 50), (2, 210), (3, 310), (5, 510), (9, 510)]
        self.assertAlmostEqual(frame_times.steady_rate(samples, 200), 100.0)

    def test_a_run_that_ends_too_early_is_an_error(self):
        for samples in ([], [(0, 300)], [(0, 10), (1, 250), (2, 250)]):
            with self.assertRaises(ValueError):
                frame_times.steady_rate(samples, 200)


class Bound(unittest.TestCase):
    def test_the_part_that_worked_most(self):
        shares = {"decode": 0.95, "graph": 0.97, "encode": 0.5, "mux": 0.1}
        self.assertEqual(frame_times.bound(shares, looks_ahead=False), "graph")

    def test_an_encoder_that_looks_ahead_bounds_where_nothing_else_does(self):
        shares = {"decode": 0.3, "graph": 0.4, "encode": 1.0, "mux": 0.1}
        self.assertEqual(frame_times.bound(shares, looks_ahead=True), "encode")
        shares["decode"] = 0.99
        self.assertEqual(frame_times.bound(shares, looks_ahead=True), "decode")

    def test_where_all_had_time_to_spare(self):
        shares = {"decode": 0.6, "graph": 0.7, "encode": 0.0, "mux": 0.0}
        self.assertEqual(frame_times.bound(shares, looks_ahead=False), "nothing alone, graph most")

    def test_decode_is_measured_by_what_it_does_alone(self):
        frames = frame_times.read([HEADER, line(0, 0), line(1, 20)], 0)
        shares = frame_times.work_shares(frames, 300.0, 600.0)
        self.assertEqual((shares["decode"], shares["encode"], shares["mux"]), (0.5, 0.0, 0.0))
        self.assertAlmostEqual(shares["graph"], 1.0)


if __name__ == "__main__":
    unittest.main()
