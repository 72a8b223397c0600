"""Tests the experiments' own arithmetic: rules, parsing, statistics, tables, covers, checks and the report."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import csv_tables
import facts
import ffmpeg
import measure
import results
import tools
from nms import (claims, frame_energy, inputs, measuring, pipeline, programs, published, report, rules,
                 tables)
from nms.candidates import Set
from nms.tables import Timing
from quick_run import program_in


def timing(candidates, median, who="greedy, CUDA", part="", **fields):
    return Timing(**{"input": "growing", "index": candidates, "candidates": candidates, "who": who, "part": part,
                     "k": None, "d_max": None, "multiprocessors": None, "kept": 7, "repeats": 3,
                     "median_us": median, "low_us": median - 1, "high_us": median + 1, **fields})


class Rules(unittest.TestCase):
    CHAIN = [[0, 0, 100, 100], [40, 0, 140, 100], [80, 0, 180, 100]]  # neighbours overlap by 3 / 7

    def test_a_chain_tells_them_apart(self):
        """The first box removes the middle one, but in the matrix the middle one still suppresses the last."""
        found = rules.suppressors(self.CHAIN, rules.iou_above(0.3))
        self.assertEqual(found, [[], [0], [1]])
        self.assertEqual(rules.greedy(found), {0, 2})
        self.assertEqual(rules.any_stronger(found), {0})
        self.assertEqual(rules.compare(self.CHAIN, rules.iou_above(0.3)), (2, 1, 1))
        self.assertEqual(rules.compare(self.CHAIN, rules.iou_above(0.43)), (3, 3, 0))

    def test_a_sweep_finds_the_pairs_wherever_they_lie(self):
        shuffled = [self.CHAIN[2], self.CHAIN[0], self.CHAIN[1]]
        self.assertEqual(rules.suppressors(shuffled, rules.iou_above(0.3)), [[], [], [1, 0]])

    def test_the_published_measure(self):
        """Boxes are squares with sides of z + 1 pixels. The common area is 61 x 101 pixels of 101 x 101."""
        suppresses = rules.published(0.6)
        self.assertTrue(suppresses([0, 0, 100, 100], [40, 0, 140, 100]))
        self.assertFalse(rules.published(0.61)([0, 0, 100, 100], [40, 0, 140, 100]))
        # A small winner lies within a large loser. The common area is the whole winner, but only a small share of the
        # loser.
        self.assertTrue(suppresses([10, 10, 20, 20], [0, 0, 100, 100]))
        self.assertFalse(suppresses([0, 0, 100, 100], [10, 10, 20, 20]))
        # A box that isn't square becomes a square with its longer side.
        self.assertTrue(suppresses([0, 0, 100, 10], [0, 20, 100, 30]))


class Parsing(unittest.TestCase):
    def test_what_programs_call_their_timings(self):
        nothing = {"part": "", "k": None, "d_max": None, "multiprocessors": None}
        for who, rule, settings in (
                ("greedy", "greedy", {}),
                ("fast", "fast", {}),
                ("map k 32", "matrix", {"part": "map", "k": 32}),
                ("both k 4", "matrix", {"part": "both", "k": 4}),
                ("reduce k 2 D_max 2048", "matrix", {"part": "reduce", "k": 2, "d_max": 2048}),
                ("matrix k=32 map", "matrix", {"part": "map", "k": 32}),
                ("matrix k=8 d_max=4096", "matrix", {"part": "both", "k": 8, "d_max": 4096}),
                ("greedy on 8 multiprocessors", "greedy", {"multiprocessors": 8}),
                ("both k 32 on 132 multiprocessors", "matrix", {"part": "both", "k": 32, "multiprocessors": 132}),
                ("bitmask together", "bitmask", {"part": "together"}),
                ("bitmask as printed allocation", "bitmask as printed", {"part": "allocation"}),
                ("printed memset", "printed", {"part": "memset"}),
                ("printed up to n reduce k 4", "printed up to n", {"part": "reduce", "k": 4}),
                ("printed all k 32 on 40 multiprocessors", "printed", {"part": "all", "k": 32, "multiprocessors": 40}),
                ("matrix as published both k 32", "matrix as published", {"part": "both", "k": 32}),
                ("fused both k 16", "fused", {"part": "both", "k": 16}),
                ("FeatureNMS as a matrix", "FeatureNMS as a matrix", {}),
                ("cpu_nms of R-CNN", "cpu_nms of R-CNN", {}),
                ("soft linear", "soft linear", {})):
            self.assertEqual(programs.read_who(who), (rule, {**nothing, **settings}), who)

    def test_lines_of_the_cuda_program(self):
        self.assertEqual(list(programs.read_lines("map k 4\tgrowing 7\traster\t12\t3.5\t4\n")),
                         [("map k 4", "growing 7", 12, [3.5, 4.0])])


class CudaProgram(unittest.TestCase):
    # Calls of set N take N us, and one of three calls is an outlier.
    PROGRAM = """#!/bin/sh
        while IFS="	" read -r name order threshold file; do
          count=$(($(wc -c <"$file") / 20))
          case "$1 $name" in
            rules*) printf "fast\t%s\t%s\t1\t$count\t$count\t999\n" "$name" "$order" ;;
            cores*) printf "map k 32 on 8 multiprocessors\t%s\t%s\t1\t$count\n" "$name" "$order" ;;
          esac
        done <"$2"
        """

    def test_repeats_sets_and_settings(self):
        face = {"box": [0, 0, 10, 10], "score": 0.5}
        sets = [Set("growing", 0, [face] * 2), Set("growing", 1, [face] * 3)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = program_in(folder, self.PROGRAM)
            arguments = argparse.Namespace(bench_nms_cuda=program, bench_nms_papers=program, repeats=3, replays=5)
            fast = programs.on_cuda(arguments, "rules", sets, folder)
            cores = programs.on_cuda(arguments, "cores", sets, folder)
        self.assertEqual([(row.index, row.who, row.candidates, row.repeats, row.median_us) for row in fast],
                         [(0, "fast, CUDA", 2, 3, 2.0), (1, "fast, CUDA", 3, 3, 3.0)])
        self.assertEqual([(row.who, row.part, row.k, row.multiprocessors) for row in cores],
                         2 * [("matrix, CUDA", "map", 32, 8)])


# Writes the lines of each verb of the measuring programs. A call takes a tenth of a microsecond a candidate, more with more
# k, and less with more multiprocessors. Each call takes 2 uJ, and a second 100 J.
FAKE_PROGRAM = """#!/usr/bin/env python3
import sys
verb, path, *options = sys.argv[1:]
value = lambda name, usual: options[options.index(name) + 1] if name in options else usual
ks = value("--k", "32").split(",")
whole = "" if verb == "cores" else "132"
places = value("--multiprocessors", "8,132" if verb == "cores" else "").split(",")
before = "matrix as published " if "--published" in options else ""
PARTS = {"run": ["greedy"], "rules": ["fast", "diou"], "rcnn": ["cpu_nms of R-CNN"],
         "variations": ["AdaptiveNMS", "FeatureNMS"],
         "bitmask": ["bitmask kernel", "bitmask as printed together"],
         "matrix": ["map k {k}", "reduce k {k}", "both k {k}"], "grid": ["fused both k {k}"],
         "printed": ["printed memset", "printed map", "printed reduce k {k}", "printed both k {k}", "printed all k {k}"],
         "steps": ["printed reduce k {k}", "printed capped reduce k {k}", "printed 32x32 map"],
         "cores": ["map k {k}", "reduce k {k}", "both k {k}", "greedy"],
         "energy": ["idle", "greedy", "both k {k}", "printed all k {k}"]}
for place in places:
    for line in open(path):
        name, order, threshold, file = line.rstrip("\\n").split("\\t")
        count = len(open(file, "rb").read()) // 20
        for who in dict.fromkeys(part.format(k=k) for part in PARTS[verb] for k in ks):
            words = before + who + (f" on {place} multiprocessors" if place else "")
            if verb == "energy":
                calls = 0 if who == "idle" else 50_000_000
                numbers = [calls, 1.0, 100.0]
            else:
                k = int(who.split(" k ")[1]) if " k " in who else 32
                numbers = 3 * [count * (1 + abs(k - 32) / 100) / 10 / int(place or 132) * 132]
            print(words, name, order, count // 2, *numbers, sep="\\t")
"""


class Parts(unittest.TestCase):
    """Runs all measurements of a GPU with fake programs, and reports their lines."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        program = program_in(folder, FAKE_PROGRAM)
        to = folder / "nms"
        to.mkdir()
        arguments = argparse.Namespace(
            bench_nms=program, bench_nms_cuda=program, bench_nms_papers=program, bench_nms_papers_cpu=program, repeats=1,
            replays=5, cuda=True, device="cuda:0", energy_seconds="1", facepipe="no facepipe", frames=None)
        cls.measured = measuring.Measuring(arguments, to, folder)
        face = lambda place: {"box": [place, 0, place + 10, 10], "score": 1 - place / 5000}
        faces = [face(place) for place in range(3000)]
        cls.measured.sets = {
            name: [Set(name, index, faces[:count]) for index, count in enumerate(counts)]
            for name, counts in (("crowd", [400, 500, 600]), ("mosaic", [1500, 2000, 2500]),
                                 ("growing", [*range(800, 1200, 50), *range(1800, 2300, 50), 3000]))}
        cls.measured.facts["inputs"] = {
            name: {"name": name, "label": f"the {name}", "stand_in": False, "size": [64, 36], "frames": 3, "score": "0.4",
                   "candidates": [1, 2, 3]} for name in cls.measured.sets}
        for part in measuring.ON_CUDA:
            cls.measured.part(part)
        cls.rows = results.read(to, tables.TABLES)
        cls.report = report.section(cls.rows, {}, ".")

    def test_each_part_fills_its_tables(self):
        self.assertEqual(self.rows.facts["missing"], {})
        self.assertEqual(set(self.rows.facts["parts"]), set(measuring.ON_CUDA))
        for table in ("growing", "sizes", "cores", "reduce", "crowd", "mosaic", "printed", "steps", "chips", "variations",
                      "energy"):
            self.assertTrue(getattr(self.rows, table), table)
        self.assertEqual({row.candidates for row in self.rows.sizes}, set(measuring.SIZES))
        self.assertEqual({row.k for row in self.rows.crowd if row.part == "reduce"}, {4, 8, 16, 32, 64})
        self.assertEqual({row.input for row in self.rows.printed}, {"crowd", "mosaic", "growing", "sizes"})
        self.assertLessEqual({8, 40, None}, {row.multiprocessors for row in self.rows.chips if row.who == "printed, CUDA"})

    def test_energy_of_a_call_and_of_nothing(self):
        idle = [row for row in self.rows.energy if row.who == "idle, CUDA"]
        self.assertEqual({(row.calls, row.watts, row.call_uj) for row in idle}, {(0, 100.0, None)})
        greedy = [row for row in self.rows.energy if row.who == "greedy, CUDA"]
        self.assertEqual({row.candidates for row in greedy}, {200, 1000, 2895})
        self.assertEqual({(row.watts, row.call_uj) for row in greedy}, {(100.0, 2.0)})

    def test_the_report_has_all_of_it(self):
        for title in ("Algorithms 1 and 2 as they are printed", "Chips of the papers' size", "Fig. 11: the reduction by k",
                      "Fig. 12, and 2016, Fig. 5", "2016, Fig. 4", "AdaptiveNMS, FeatureNMS", "Energy of a suppression"):
            section = self.report.split(f"#### {title}")[1].split("####")[0]
            self.assertNotIn("Not measured", section, title)
        self.assertIn("k = 32 is the fastest reduction: holds here.", self.report)
        self.assertIn("roughly constant time, frame after frame of mosaic: not so.", self.report)
        self.assertIn("Twice the cores, 3 times as fast: not so.", self.report)
        self.assertIn("networks: can't be judged.", self.report)
        self.assertIn("| greedy, CUDA | 100.0 | 2 |", self.report)  # compared with the chip of Shi et al.
        self.assertIn("The CPU's was not measured: this part was not run.", self.report)

    def test_a_part_that_was_cut_off_keeps_what_it_has(self):
        with tempfile.TemporaryDirectory() as name:
            one = measuring.Measuring(self.measured.arguments, pathlib.Path(name), pathlib.Path(name))

            def cut_off():
                raise KeyboardInterrupt

            with self.assertRaises(KeyboardInterrupt):
                one.take("nms-cuda", (("cores", lambda: [timing(7, 2.0)]), ("mosaic", cut_off)))
            self.assertEqual(len(csv_tables.read(pathlib.Path(name), "cores", Timing)), 1)
            self.assertNotIn("nms-cuda", one.facts["parts"])


class Verdicts(unittest.TestCase):
    """Compares two runs with different pictures."""

    @staticmethod
    def run_of(label, slowest):
        growing = [timing(count, slowest if count == 2000 else 10.0, "matrix, CUDA", "map", k=32) for count in (1000, 2000)]
        growing += [timing(count, 10.0) for count in (1000, 2000)]
        return results.Results({"inputs": {"growing": {"label": label}}, "parts": {}, "missing": {}}, tables.TABLES,
                               {"growing": growing})

    def test_equal_ones_are_counted(self):
        text = claims.section(self.run_of("one", 40.0), [self.run_of("other", 50.0)])
        self.assertIn("**On other**, 1 of these claims could be tested, and 1 have the same verdict", text)
        self.assertNotIn("The others", text)

    def test_others_stand_side_by_side(self):
        text = claims.section(self.run_of("one", 40.0), [self.run_of("other", 10.0)])
        self.assertIn("| on one | on other |", text)
        self.assertIn("| Linear time: not so here | Linear time: not contradicted by time in this range, but by work |", text)


class Configs(unittest.TestCase):
    def test_files_of_options_are_the_papers(self):
        """The options in a file must equal the words of the other measurements' command lines."""
        arguments = argparse.Namespace(crowd_score=inputs.CROWD_SCORE, group_score=inputs.GROUP_SCORE)
        for name, score in (("crowd", arguments.crowd_score), ("mosaic", arguments.crowd_score),
                            ("growing", arguments.group_score)):
            source = inputs.Input(name, pathlib.Path("clip.mp4"), name, True, score)
            options = dict(line.split(" = ") for line in source.config().read_text().splitlines() if line[0] not in "#[")
            self.assertEqual(float(score), float(options.pop("score")))
            words = [word for key, value in options.items() for word in ([f"--{key}"] if value == "true" else
                                                                       [f"--{key}", value])]
            self.assertEqual(sorted(words), sorted(published.rule_options(d_max=4096)))
            self.assertEqual(pipeline.options_of("matrix as published", source), ["--config", source.config(), "--score", score])
            self.assertEqual(pipeline.options_of("greedy", source), ["--score", score])


class UsersClips(unittest.TestCase):
    def clip(self, folder, pixels, rate):
        file = folder / "crowd.mp4"
        subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s=64x48:r={rate}:d=0.2",
                        "-pix_fmt", pixels, "-c:v", "libx264", file], check=True)
        return file

    def test_are_encoded_anew_if_a_gpu_does_not_decode_them_or_frames_would_be_counted_wrong(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            made = inputs.users_clip(self.clip(folder, "yuv444p", 25), folder)
            self.assertEqual(made.name, "crowd_420.mp4")
            told = subprocess.run(["ffprobe", "-v", "error", "-of", "csv=p=0", "-count_frames", "-show_entries",
                                   "stream=pix_fmt,r_frame_rate,nb_read_frames", made], capture_output=True, text=True)
            self.assertEqual(told.stdout.strip(), "yuv420p,50/1,5")
            self.assertEqual(inputs.users_clip(folder / "gone" / "crowd.mp4", folder), made)  # it is made only once

    def test_others_are_taken_as_they_are(self):
        with tempfile.TemporaryDirectory() as name:
            file = self.clip(pathlib.Path(name), "yuv420p", 50)
            self.assertEqual(inputs.users_clip(file, pathlib.Path(name)), file)


class FilesOfFfmpeg(unittest.TestCase):
    """A fake FFmpeg writes "half" or "whole" into the file that its last argument names."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "picture.jpg"
        patched = mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"})
        patched.start()
        self.addCleanup(patched.stop)

    def ends_with(self, code, text):
        program_in(self.folder, f"#!/bin/sh\nfor last; do :; done\nprintf {text} > \"$last\"\nexit {code}\n", "ffmpeg")

    def test_a_part_of_a_file_is_not_taken_for_the_file(self):
        makers = {"picture.jpg": lambda: ffmpeg.made(self.file, lambda: ["-i", "x"]),
                  "group_64.jpg": lambda: inputs.scaled(pathlib.Path("group.jpg"), 64, self.folder)}
        for name, make in makers.items():
            with self.subTest(name):
                self.ends_with(1, "half")
                with self.assertRaises(SystemExit):
                    make()
                self.assertFalse((self.folder / name).exists())
                self.assertEqual([file.read_text() for file in self.folder.glob("unfinished_*")], ["half"])
                self.ends_with(0, "whole")
                self.assertEqual(make().read_text(), "whole")
                self.assertEqual(list(self.folder.glob("unfinished_*")), [])

    def test_a_file_is_made_once(self):
        self.file.write_text("there")
        self.ends_with(1, "half")
        self.assertEqual(ffmpeg.made(self.file, lambda: self.fail("nothing is to be made")).read_text(), "there")


class Resumed(unittest.TestCase):
    def test_parts_that_are_there_are_left_out(self):
        class Package:
            PARTS = ("a", "b")
            ran = []

            class Measuring:
                def __init__(self, *_):
                    pass

                def prepare(self, parts):
                    Package.ran.append(parts)

                def part(self, part):
                    Package.ran.append(part)

        original, measure.measuring_of = measure.measuring_of, lambda _: Package
        self.addCleanup(lambda: setattr(measure, "measuring_of", original))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "nms").mkdir()
            facts.write(folder / "nms", {"inputs": {}, "parts": {"a": {}}, "missing": {}})
            for resume, expected in ((True, [["b"], "b"]), (False, [["a", "b"], "a", "b"])):
                Package.ran = []
                measure.measure("nms", argparse.Namespace(to=folder, resume=resume, only=["a", "b"]))
                self.assertEqual(Package.ran, expected)


class FrameEnergies(unittest.TestCase):
    class Counter:
        def __init__(self):
            self.sum = 0

        def joules(self):
            return self.sum

    def test_the_start_does_not_count(self):
        """A start takes 50 J, and each frame takes 2 J."""
        counter = self.Counter()

        def run(copies):
            counter.sum += 50 + 2 * 10 * copies
            return 10 * copies

        _, [joules], frames = frame_energy.of_frame([counter], run, 4)
        self.assertEqual((joules, frames), (2, 30))

    def test_counters_of_the_processor_wrap_around(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)

            def write(package, microjoules):
                (folder / package).mkdir(exist_ok=True)
                (folder / package / "energy_uj").write_text(str(microjoules))
                (folder / package / "max_energy_range_uj").write_text("10000000")

            write("intel-rapl:0", 9_000_000)
            write("intel-rapl:1", 0)
            write("intel-rapl:0:0", 0)
            counter = frame_energy.Cpu(folder)
            write("intel-rapl:0", 500_000)
            write("intel-rapl:1", 250_000)
            write("intel-rapl:0:0", 7_000_000)
            self.assertAlmostEqual(counter.joules(), 1.75)

    def test_no_counter_is_a_reason(self):
        with self.assertRaisesRegex(frame_energy.NoCounter, "no counter of the processor's energy"):
            frame_energy.Cpu(pathlib.Path("/nowhere"))


class Tables(unittest.TestCase):
    def test_spread_is_the_median_and_the_ends(self):
        self.assertEqual(csv_tables.spread([5, 1, 9]), (5, 1, 9))

    def test_rows_come_back_as_they_were(self):
        rows = [timing(10, 2.5), timing(20, 3.5, "matrix, CUDA", "map", k=32, multiprocessors=8)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            csv_tables.write(folder, "growing", Timing, rows)
            self.assertEqual(csv_tables.read(folder, "growing", Timing), rows)
            self.assertEqual(csv_tables.read(folder, "cores", Timing), [])


class Covers(unittest.TestCase):
    def test_rectangles_are_larger_than_faces_but_not_outside(self):
        covers = tools.script("experiments/inputs/cover-faces").covers
        self.assertEqual(covers([[100, 200, 140, 260]], 0.1), [(96, 194, 48, 72)])
        self.assertEqual(covers([[1, 2, 41, 42]], 0.1), [(0, 0, 45, 46)])

    def test_rectangle_i_covers_pictures_up_to_i(self):
        self.assertEqual(tools.script("experiments/inputs/cover-faces").filters([(1, 2, 3, 4), (5, 6, 7, 8)]),
                         ["drawbox=1:2:3:4:black:fill:enable='lte(n,0)'",
                          "drawbox=5:6:7:8:black:fill:enable='lte(n,1)'"])


class CrowdRun(unittest.TestCase):
    HEADER = b"YUV4MPEG2 W1920 H1080 F50:1 Ip A1:1 C420jpeg\n"

    def test_header_and_length(self):
        wrong_with = tools.script("experiments/inputs/crowd-run").wrong_with
        size = len(self.HEADER) + 500 * (6 + 1920 * 1080 * 3 // 2)
        self.assertEqual(wrong_with(self.HEADER, size), [])
        without = self.HEADER.replace(b" C420jpeg", b"")
        self.assertEqual(wrong_with(without, size - 9), [])
        for header, length, word in ((self.HEADER, size - 1, "bytes"),
                                     (self.HEADER.replace(b"1920", b"1280"), size, "size"),
                                     (self.HEADER.replace(b"50:1", b"25:1"), size, "frame rate"),
                                     (self.HEADER.replace(b"C420jpeg", b"C444    "), size, "chroma"),
                                     (self.HEADER.replace(b"C420jpeg", b"C420p10 "), size, "chroma"),
                                     (b"RIFF", 4, "no y4m"), (b"", 0, "no y4m")):
            self.assertIn(word, "".join(wrong_with(header, length)))


class Claims(unittest.TestCase):
    def test_growth_is_the_power(self):
        self.assertAlmostEqual(claims.growth([timing(n, 0.001 * n * n) for n in (100, 300, 900)]), 2.0)
        self.assertIsNone(claims.growth([timing(100, 3.0)]))

    def test_from_where_on_one_is_faster(self):
        flat = [timing(n, 10.0) for n in (100, 200, 300)]
        rising = [timing(n, n / 20) for n in (100, 200, 300)]
        self.assertEqual(claims.first_faster(flat, rising), "300")
        self.assertEqual(claims.first_faster([timing(100, 1.0)], rising), "all (100 and more)")
        self.assertEqual(claims.first_faster([timing(300, 99.0)], rising), "none (up to 300)")

    def test_a_jump_stands_out_against_the_slope(self):
        rows = [timing(n, 10 + n / 1000 + (5 if n > 1024 else 0)) for n in range(800, 1300, 10)]
        below, at_place, above = claims.jump_at(rows, 1024)
        self.assertLess(max(below, above), 0.02)
        self.assertGreater(at_place, 0.4)
        self.assertIsNone(claims.jump_at(rows, 2048))

    def test_growth_that_goes_on_is_no_jump(self):
        told = lambda time_of: claims.steps_at_k4(results.Results(
            {"inputs": {}, "parts": {}, "missing": {}}, tables.TABLES,
            {"growing": [timing(n, time_of(n), "matrix, CUDA", "both", k=4) for n in range(700, 1400, 10)]}))
        self.assertIn("time jumps at 1,024 and 2,048 detections: not so.", told(lambda n: 10 if n < 1024 else n / 100))
        self.assertIn("time jumps at 1,024 and 2,048 detections: holds.", told(lambda n: 10 if n < 1024 else 15))

    def test_contradictions_of_the_papers(self):
        found = "; ".join(published.contradictions())
        self.assertIn("Table 6, TX1, k = 4: 3.74 + 1.34 is 5.08, not 4.84", found)
        self.assertNotIn("TX2, k = 4", found)
        self.assertIn("printed 8.11, 5.38, 5.23; by the times in text and Table 5 8.56", found)

    def test_a_report_of_tables_says_what_is_missing_and_what_contradicts(self):
        found = results.Results(
            {"inputs": {"crowd": {"name": "crowd", "label": "stand-in for crowd_run", "stand_in": True,
                                  "size": [1920, 1080], "frames": 2, "score": "0.4", "candidates": [9, 9, 9]}},
             "parts": {}, "missing": {"nms-cuda": "no GPU here"}},
            tables.TABLES,
            {"reduce": [timing(2895, 9.0, "matrix, CUDA", "reduce", k=32),
                        timing(2895, 7.0, "matrix, CUDA", "reduce", k=16)],
             "differences": [tables.Differences("crowd", 0, 9, 5, 4, 1, 5, 5, 0)]})
        text = report.section(found, {}, ".")
        self.assertIn("**Stand-ins.** stand-in for crowd_run.", text)
        self.assertIn('greedy NMS": not so.', text)
        self.assertIn("| stand-in for crowd_run | IoU | 1 | 1 | 5 | 1 (20.0%) |", text)
        self.assertIn("not here, where k = 16 is", text)
        self.assertIn("Fig. 9: core counts\n\nNot measured: no GPU here.", text)


class Results(unittest.TestCase):
    def test_a_part_can_come_from_another_machine(self):
        accuracy = [tables.Accuracy("greedy", "--iou 0.3", 135, 0.9, 0.8, 0.7)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            csv_tables.write(folder, "accuracy", tables.Accuracy, accuracy)
            facts.write(folder, {"inputs": {}, "parts": {"accuracy": {"machine": "other"}}, "missing": {}})
            found = results.Results({"inputs": {}, "parts": {}, "missing": {"accuracy": "no folder"}},
                                    tables.TABLES, {})
            results.add_parts(found, results.read(folder, tables.TABLES), tables.PARTS_OF_TABLES)
        self.assertEqual(found.accuracy, accuracy)
        self.assertEqual(found.facts, {"inputs": {}, "parts": {"accuracy": {"machine": "other"}}, "missing": {}})


class Facts(unittest.TestCase):
    def test_come_back_as_they_were(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(facts.read(folder), {"inputs": {}, "parts": {}, "missing": {}})
            facts.write(folder, {"inputs": {}, "parts": {"a": 1}, "missing": {}})
            self.assertEqual(json.loads((folder / "facts.json").read_text())["parts"], {"a": 1})


if __name__ == "__main__":
    unittest.main()
