"""Tests the arithmetic of the experiments on Viola-Jones: parsing, averages, pictures, claims and the report."""
import argparse
import dataclasses
import pathlib
import tempfile
import unittest
from unittest import mock

import draw
import facts
import csv_tables
import results
from quick_run import program_in
from viola_jones import averages, claims, inputs, measuring, programs, published, report, tables
from viola_jones.tables import DeviceTime, Frame, Grid, ScaleTime, Stage, Work


def frame(who, median, picture="city_0", copies="with copies"):
    return Frame(picture, who, copies, 7, 3, median, median - 1, median + 1)


def scale_time(who, scale, warps, median):
    return ScaleTime("city_0", who, scale, warps, 132, 3, median, median, median)


def device_time(devices, median, dealt="scales", how="simulated", device="all"):
    return DeviceTime("city_0", how, dealt, devices, device, 7, 3, median, median, median)


def paper_grids():
    """Returns the published grids; if a row isn't published, it equals the row before."""
    rows, last = [], None
    for scale in range(18):
        factor, columns, rows_of_blocks = published.GRIDS.get(scale + 1, last)
        last = (factor, columns, rows_of_blocks)
        rows.append(Grid(scale, factor, int(factor), 20, columns, rows_of_blocks, 16 * columns, 16 * rows_of_blocks))
    return rows


def found(**rows):
    known = {"inputs": {"city": {"name": "city", "label": "9 crops of the demo photo", "stand_in": True,
                                 "size": [640, 480], "pictures": 9}},
             "parts": {}, "missing": {"mpi": "mpirun is not found"}}
    return results.Results(known, tables.TABLES, rows)


class Published(unittest.TestCase):
    def test_rates_by_the_ratios_of_the_text(self):
        rates = published.fps_of_variants()
        self.assertAlmostEqual(rates["C1060"]["static, shared memory"], 3.58, 2)
        self.assertAlmostEqual(rates["C1060"]["static, basic"], 2.89, 2)
        self.assertAlmostEqual(rates["C2050"]["static, basic"], 7.88, 2)


class Programs(unittest.TestCase):
    # One repeat's times have an outlier, and the second repeat is slower by 10.
    PROGRAM = """#!/bin/sh
        count=$(($(cat "$0.count" 2>/dev/null || echo 0) + 10)); echo $count >"$0.count"
        case "$1" in
          run) printf "dynamic warp\\twith copies\\tcity_0\\t211\\t$count\\t$((count + 1))\\t999\\n" ;;
          scales) printf "static, basic\\t3\\tcity_0\\t20.500\\t132\\t$count\\t$count\\t999\\n" ;;
          devices) printf "threads\\tbands\\t2\\t1\\tcity_0\\t211\\t$count\\n" ;;
        esac
        """

    def test_medians_of_repeats(self):
        with tempfile.TemporaryDirectory() as name:
            program = program_in(name, self.PROGRAM)
            arguments = argparse.Namespace(bench_viola_jones_cuda=program, cascade="c.xml", repeats=3, replays=5)
            frames = programs.frames(arguments, [])
            scales = programs.scale_times(arguments, [])
            devices = programs.devices(arguments, [])
        self.assertEqual(frames, [Frame("city_0", "dynamic warp", "with copies", 211, 3, 21.0, 11.0, 31.0)])
        self.assertEqual(scales, [ScaleTime("city_0", "static, basic", 3, 20.5, 132, 3, 50.0, 40.0, 60.0)])
        self.assertEqual(devices, [DeviceTime("city_0", "threads", "bands", 2, "1", 211, 3, 80.0, 70.0, 90.0)])


class Inputs(unittest.TestCase):
    def test_evenly_from_a_list(self):
        self.assertEqual(inputs.evenly(list(range(90)), 3), [0, 30, 60])
        self.assertEqual(inputs.evenly([1, 2], 9), [1, 2])

    def test_facts_name_the_stand_in(self):
        told = inputs.facts([pathlib.Path("city_0.grey"), pathlib.Path("city_1.grey"), pathlib.Path("wider_0.grey")])
        self.assertEqual((told["city"]["label"], told["city"]["stand_in"]), ("2 crops of the demo photo", True))
        self.assertEqual((told["wider"]["pictures"], told["wider"]["stand_in"]), (1, False))


class Averages(unittest.TestCase):
    def test_frame_rate_is_that_of_the_mean_time(self):
        rows = [frame("dynamic warp", 1000.0), frame("dynamic warp", 3000.0, "city_1")]
        self.assertEqual(averages.fps(rows), 500)

    def test_inputs_stay_apart(self):
        rows = [frame("facepipe", 1000.0), frame("facepipe", 9.0, "wider_0"), frame("facepipe", 5.0, copies="without")]
        got = found(frames=rows)
        self.assertEqual(averages.of_frames(got.frames, "city", "with copies"), {"facepipe": [rows[0]]})
        self.assertEqual(averages.kinds(rows), ["city", "wider"])

    def test_shares_make_a_whole(self):
        self.assertEqual(averages.shares({0: 3, 1: 1}), {0: 0.75, 1: 0.25})
        self.assertEqual(averages.shares({}), {})


class Claims(unittest.TestCase):
    def test_what_holds(self):
        shared, dynamic = "static, shared memory", "dynamic warp"
        got = found(
            grids=paper_grids(),
            work=[Work("city_0", scale, 100, 95 if scale == 0 else 1, 3) for scale in range(11)],
            stages=[Stage("city_0", 6, 5000)],
            frames=[frame("static, basic", 305.0), frame(shared, 300.0), frame(dynamic, 100.0),
                    frame("facepipe", 50.0), frame(shared, 290.0, copies="without"),
                    frame(dynamic, 90.0, copies="without"), frame(dynamic, 104.0, "city_1")],
            scales=[scale_time(who, scale, warps, 10.0) for who, warps in
                    (("static, basic", 20.0), (shared, 30.0), (dynamic, 40.0)) for scale in range(10)],
            devices=[device_time(devices, median) for devices, median in
                     ((1, 100.0), (2, 52.0), (5, 22.0), (6, 21.5))])
        text = claims.section(got)
        self.assertIn("Table 2, 18 launches and their grids: held.", text)
        self.assertIn("static threads with shared memory: held on the whole chip.** On the whole chip: 2.94 times", text)
        self.assertIn("facepipe 2.04 times (other windows)", text)
        self.assertIn("little to gain (24 % before Fermi, 2 % on Fermi): held on the whole chip.** On the whole chip: +1.7%",
                      text)
        self.assertIn("slightly on the picture: can't be judged", text)
        self.assertIn("more than 90 % of the work: held", text)
        self.assertIn("one thread of a block goes on: held", text)
        self.assertIn("on each of the first ten scales: held on the whole chip.** On the whole chip: on 10 of 10", text)
        self.assertIn("saturate at 5 to 6: can't be judged by 1 device, and by the simulation held.", text)
        self.assertIn("4.55 with 5 (published 4.6), 4.65 with 6", text)

    def test_what_does_not(self):
        shared, dynamic = "static, shared memory", "dynamic warp"
        got = found(
            grids=paper_grids()[:17],
            stages=[Stage("city_0", 6, 50000)],
            frames=[frame("static, basic", 600.0), frame(shared, 300.0), frame(dynamic, 200.0),
                    frame(dynamic, 300.0, "city_1"), frame(shared, 290.0, copies="without"),
                    frame(dynamic, 190.0, copies="without")],
            scales=[scale_time(who, scale, warps, 10.0) for who, warps in
                    (("static, basic", 20.0), (shared, 50.0), (dynamic, 40.0)) for scale in range(10)],
            devices=[device_time(devices, median) for devices, median in ((1, 100.0), (2, 51.0), (5, 22.0), (6, 18.0))])
        text = claims.section(got)
        self.assertIn("their grids: not held", text)
        self.assertIn("shared memory: not held on the whole chip.** On the whole chip: 1.20 times", text)
        self.assertIn("(unsaid): held.** As fast as they are, by frame rate with copies, on one CPU: nobody", text)
        self.assertIn("little to gain (24 % before Fermi, 2 % on Fermi): not held", text)
        self.assertIn("The quickest of 2 pictures has 50% more frames", text)
        self.assertIn("goes on: not held", text)
        self.assertIn("first ten scales: not held on the whole chip.** On the whole chip: on 0 of 10", text)
        self.assertIn("by the simulation not held", text)

    def test_a_part_of_the_chip_has_a_verdict_of_its_own(self):
        shared, dynamic = "static, shared memory", "dynamic warp"
        got = found(frames=[frame(shared, 300.0), frame(dynamic, 200.0)],
                    part_frames=[frame(shared, 900.0), frame(dynamic, 300.0)],
                    part_scales=[dataclasses.replace(scale_time(dynamic, 0, 40.0, 10.0), multiprocessors=16)])
        self.assertIn("held on 16 multiprocessors (a C2050 has 14); not held on the whole chip.** On 16 "
                      "multiprocessors (a C2050 has 14): 3.00 times. On the whole chip: 1.50 times.", claims.faster(got))

    def test_choices_of_blocks_and_cached_stages(self):
        cached = lambda slowest: [frame(f"dynamic warp, K {k}", slowest if k == 15 else 100.0, copies="without")
                                  for k in range(1, 16)]
        self.assertIn("from 7 to 15: held.", claims.cached_stages(found(choices=cached(101.0))))
        self.assertIn("from 7 to 15: not held.** The slowest K takes 20.0% longer",
                      claims.cached_stages(found(choices=cached(120.0))))
        self.assertEqual(claims.cached_stages(found(choices=cached(100.0)[:7])), "")
        sides = lambda of_8: [frame(f"{who}, blocks of {side} x {side}", of_8 if side == 8 else 100.0 + side, copies="without")
                              for who in averages.VARIANTS for side in (8, 16, 32)]
        self.assertIn("16 x 16 are optimal: held.", claims.block_sides(found(choices=sides(200.0))))
        self.assertIn("16 x 16 are optimal: not held.** static, basic: 8 x 8 0.050 ms, 16 x 16 0.116 ms, 32 x 32 0.132 ms",
                      claims.block_sides(found(choices=sides(50.0))))

    def test_measured_devices_count_before_simulated_ones(self):
        simulated = [device_time(devices, median) for devices, median in ((1, 100.0), (2, 51.0), (5, 22.0), (6, 18.0))]
        of_two = [device_time(devices, median, "scales", "threads") for devices, median in ((1, 100.0), (2, 60.0))]
        self.assertIn("can't be judged by 2 devices, and by the simulation not held.** Measured by threads: 1.67 times with 2.",
                      claims.saturation(found(devices=simulated + of_two)))
        of_six = of_two + [device_time(6, 20.0, "scales", "threads")]
        self.assertIn("saturate at 5 to 6: not held.", claims.saturation(found(devices=simulated + of_six)))

    def test_chips_of_the_papers_size_are_simulated(self):
        simulated = [device_time(devices, 100.0 / devices) for devices in (1, 2, 5, 6)]
        # 6 + 3 + 2 + 1: the two devices get 6 each, and then the largest scale bounds them.
        part = [ScaleTime("city_0", "dynamic warp", scale, 20.0, 16, 3, time, time, time)
                for scale, time in enumerate((6.0, 3.0, 2.0, 1.0))]
        self.assertIn("On chips of 16 multiprocessors, simulated from the times of the scales there: 2.00 with 2, 2.00 with "
                      "5, 2.00 with 6: held.", claims.saturation(found(devices=simulated, part_scales=part)))

    def test_verdicts_span_all_inputs_and_say_where_they_differ(self):
        def rows(of_wider):
            return [frame("static, shared memory", 300.0), frame("dynamic warp", 100.0),
                    frame("static, shared memory", 300.0, "wider_0"), frame("dynamic warp", of_wider, "wider_0")]

        self.assertIn("shared memory: held by 9 crops of the demo photo and not held by wider on the whole chip.** On the "
                      "whole chip: 3.00 times, by 9 crops of the demo photo; 1.50 times, by wider.",
                      claims.faster(found(frames=rows(200.0))))
        self.assertIn("shared memory: held on the whole chip.** On the whole chip: 3.00 times, by 9 crops of the demo "
                      "photo; 3.00 times, by wider.", claims.faster(found(frames=rows(100.0))))

    def test_measured_devices_tell_the_best_deal(self):
        rows = [device_time(1, 100.0, dealt, "threads") for dealt in ("scales", "bands", "frames")]
        self.assertEqual(claims.unavoidable(found(devices=rows)), "")
        on_two = lambda frames: rows + [device_time(2, median, dealt, "threads") for dealt, median in
                                        (("scales", 62.5), ("bands", 80.0), ("frames", frames))]
        self.assertIn("unavoidable: not held.** On 2 devices, frames a second: scales 16,000, bands 12,500, frames "
                      "20,000; one device has 10,000.", claims.unavoidable(found(devices=on_two(50.0))))
        self.assertIn("unavoidable: held.", claims.unavoidable(found(devices=on_two(70.0))))

    def test_nothing_is_told_of_nothing(self):
        self.assertIn("None could be tested here.", claims.section(found()))


# Writes the lines of each verb of bench_viola_jones_cuda. Dynamic warps are fast only on a part of the device.
FAKE_PROGRAM = """#!/usr/bin/env python3
import sys
verb, cascade, size, *rest = sys.argv[1:]
on_part = "--multiprocessors" in rest
variants = {"static, basic": 900, "static, shared memory": 600, "dynamic warp": 200 if on_part else 500}
for picture in (word.rsplit("/", 1)[-1][:-5] for word in rest if word.endswith(".grey")):
    if verb == "run":
        for who, time in variants.items():
            for copies in ("with copies", "without"):
                print(who, copies, picture, 3, time, time, sep="\\t")
    if verb == "choices":
        for who in variants:
            for side in (8, 16, 32):
                print(f"{who}, blocks of {side} x {side}", "without", picture, 3, 100 + abs(side - 16), sep="\\t")
        for k in range(1, 16):
            print(f"dynamic warp, K {k}", "without", picture, 3, 100, sep="\\t")
    if verb == "scales":
        for who in variants:
            for scale in range(18):
                warps = 40 if who == "dynamic warp" else 20
                print(who, scale, picture, warps, 16 if on_part else 132, 10, sep="\\t")
"""


class Parts(unittest.TestCase):
    def test_parts_on_a_gpu_fill_their_tables_and_the_report(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program, to = program_in(folder, FAKE_PROGRAM), folder / "viola_jones"
            to.mkdir()
            arguments = argparse.Namespace(bench_viola_jones_cuda=program, cascade="cascade.xml", replays=3, repeats=2,
                                           cuda=True, device="cuda:0", inputs=folder, facepipe="no facepipe")
            measured = measuring.Measuring(arguments, to, folder)
            measured.pictures = [folder / "city_0.grey", folder / "city_1.grey"]
            measured.facts["inputs"] = found().facts["inputs"]
            sizes = {size: folder / f"table1_{size[0]}x{size[1]}.grey" for size in published.TABLE_1_SIZES}
            with mock.patch.object(inputs, "of_sizes", return_value=sizes):
                for part in ("variants", "scale-times", "part-of-chip", "choices", "sizes"):
                    measured.part(part)
            rows = results.read(to, tables.TABLES)
        self.assertEqual(rows.facts["missing"], {})
        for table in ("frames", "scales", "part_frames", "part_scales", "choices", "sizes"):
            self.assertTrue(getattr(rows, table), table)
        text = report.section(rows, {}, ".")
        self.assertIn("with shared memory: held on 16 multiprocessors (a C2050 has 14); not held on the whole chip.", text)
        self.assertIn("Blocks of 16 x 16 are optimal: held.", text)
        self.assertIn("from 7 to 15: held.", text)
        self.assertIn("| [8] | 696x510 | 10.8 | 1,667 | 2,000 |  |", text)
        self.assertIn("| dynamic warp | 5,000 | 0.200", text)


class Report(unittest.TestCase):
    def test_says_what_is_missing_and_where_parts_come_from(self):
        got = found(grids=paper_grids(), devices=[device_time(1, 100.0), device_time(2, 50.0), device_time(
            2, 40.0, device="0"), device_time(2, 60.0, device="1")])
        text = report.section(got, {}, ".")
        self.assertIn("| 14 | 10.70 | 4 x 3 | 12 |", text)
        self.assertIn("* `mpi`: mpirun is not found.", text)
        self.assertIn("Fig. 12: variants on one GPU\n\nNot measured: this part was not run.", text)
        self.assertIn("Table 1: earlier designs at their pictures' sizes\n\nNot measured", text)
        self.assertIn("| 9 crops of the demo photo | scales | simulated | 10,000 (1.00) | 20,000 (2.00) |", text)
        self.assertIn("| 9 crops of the demo photo | scales | simulated | 2 | 40.0 / 60.0 |", text)

    def test_earlier_designs_stand_beside_ours_of_their_size(self):
        rows = [frame(who, 1000.0, "table1_256x192") for who in ("static, shared memory", "dynamic warp", "facepipe")]
        text = report.section(found(sizes=rows), {}, ".")
        self.assertIn("| [5] | 256x192 | 98.0 | 1,000 | 1,000 | 1,000 |", text)
        self.assertNotIn("| [2] | 640x480 |", text)

    def test_joins_the_runs_of_three_machines(self):
        with tempfile.TemporaryDirectory() as name:
            folders = [pathlib.Path(name) / machine for machine in ("one", "two", "three")]
            for folder, (table, part, rows) in zip(folders, (
                    ("frames", "variants", [frame("dynamic warp", 1.0), frame("static, shared memory", 2.0)]),
                    ("devices", "devices", [device_time(1, 100.0)]), ("cpu", "cascade-cpu", [
                        frame("plain loop, one CPU core", 1e6, copies="")]))):
                (folder / "viola_jones").mkdir(parents=True)
                csv_tables.write(folder / "viola_jones", table, tables.TABLES[table], rows)
                facts.write(folder / "viola_jones", {
                    "inputs": found().facts["inputs"], "missing": {}, "parts": {part: {
                        "date": "today", "machine": folder.name, "gpu": "none", "system": "", "facepipe": "",
                        "engine": "", "repeats": 3, "command": ""}}})
            draw.draw(folders[0], folders[0], with_figures=False, also=folders[1:], beside=[folders[0]])
            text = (folders[0] / "REPORT.md").read_text()
        for word in ("today, one", "today, two", "today, three", "plain loop, one CPU core", "simulated",
                     "dynamic warp", "have the same verdict, word for word"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
