"""Tests the experiments' own arithmetic: rules, parsing, statistics, tables, covers, checks and the report."""
import argparse
import json
import pathlib
import tempfile
import unittest

import csv_tables
import facts
import results
import tools
from nms import claims, programs, report, rules, tables
from nms.candidates import Set
from nms.tables import Timing


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
        """Boxes are squares of z + 1 pixels: 61 x 101 of the winner's 101 x 101."""
        suppresses = rules.published(0.6)
        self.assertTrue(suppresses([0, 0, 100, 100], [40, 0, 140, 100]))
        self.assertFalse(rules.published(0.61)([0, 0, 100, 100], [40, 0, 140, 100]))
        # A small winner lies within a large loser: that is the whole winner, but little of the loser.
        self.assertTrue(suppresses([10, 10, 20, 20], [0, 0, 100, 100]))
        self.assertFalse(suppresses([0, 0, 100, 100], [10, 10, 20, 20]))
        # A box that isn't square becomes a square of its longer side.
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
            program = folder / "program"
            program.write_text(self.PROGRAM)
            program.chmod(0o755)
            arguments = argparse.Namespace(bench_nms_cuda=program, bench_nms_papers=program, repeats=3, replays=5)
            fast = programs.on_cuda(arguments, "rules", sets, folder)
            cores = programs.on_cuda(arguments, "cores", sets, folder)
        self.assertEqual([(row.index, row.who, row.candidates, row.repeats, row.median_us) for row in fast],
                         [(0, "fast, CUDA", 2, 3, 2.0), (1, "fast, CUDA", 3, 3, 3.0)])
        self.assertEqual([(row.who, row.part, row.k, row.multiprocessors) for row in cores],
                         2 * [("matrix, CUDA", "map", 32, 8)])


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
