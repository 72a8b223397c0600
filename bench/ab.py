#!/usr/bin/env python3
"""Compares the speed of two builds of the program, or of two ways to run one, in turns on one machine.

For each case, both programs run one after the other, --pairs times; they take turns to be first. The result shows each
program's median, and the median of the pairs' quotients (new divided by old; for rates, a quotient below 1 is a loss).
A change of the machine's speed affects these quotients little, because it affects both runs of a pair.

    bench/ab.py OLD_PROGRAM NEW_PROGRAM CLIP... [--device cuda] [--pairs 5] [--repeat 20]
    bench/ab.py PROGRAM PROGRAM CLIP... --old-options="--sandbox off" --new-options="--sandbox on"

The script repeats CLIP --repeat times without encoding it again, so that start-up is a small part of a run.
"""
import argparse
import pathlib
import statistics
import tempfile

import clips
import measurement

CASES = {"no video": ["--no-video"], "mjpeg": ["--codec", "mjpeg"],
         "h264": ["--codec", "libx264", "--preset", "ultrafast"]}
UNITS = {"fps": "frames a second, after start-up", "latency_p50": "ms, decoded to the encoder",
         "latency_p99": "ms, likewise", "own_cpu": "ms a frame, our own code, all stages",
         "cpu": "s of all threads", "peak": "MiB of the host", "startup": "s"}


def run(program, own_options, clip, words, options, folder):
    if "--no-video" not in words:
        words = [*words, "-o", folder / "out.mkv", "--overwrite"]
    used, report = measurement.facepipe(argparse.Namespace(facepipe=program),
                                        [clip, *words, "--device", options.device,
                                         *options.options.split(), *own_options.split()])
    told = report[0]
    return {"fps": told["fps"], "latency_p50": told["stage_ms"]["latency"]["p50"],
            "latency_p99": told["stage_ms"]["latency"]["p99"],
            "own_cpu": sum(stage["p50"] for stage in told["own_cpu_ms"].values()),
            "cpu": used.cpu_s, "peak": used.peak_mib, "startup": told["startup_s"]}


def table(name, old, new):
    lines = [f"{name}", f"  {'':12} {'old':>10} {'new':>10} {'new/old':>8}"]
    for value, unit in UNITS.items():
        before = [row[value] for row in old]
        after = [row[value] for row in new]
        quotients = [b / a if a else 1 for a, b in zip(before, after)]
        lines.append(f"  {value:12} {statistics.median(before):10.3f} "
                     f"{statistics.median(after):10.3f} {statistics.median(quotients):8.3f}  {unit}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("clips", type=pathlib.Path, nargs="+")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--options", default="", help="more options of every run")
    parser.add_argument("--old-options", default="", help="more options of the old program's runs")
    parser.add_argument("--new-options", default="", help="more options of the new program's runs")
    options = parser.parse_args()
    old, new = (options.old, options.old_options), (options.new, options.new_options)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for clip in options.clips:
            longer = clips.looped(clip, options.repeat, folder)
            for case in options.cases:
                rows = ([], [])
                for pair in range(options.pairs):
                    for side in (0, 1) if pair % 2 == 0 else (1, 0):
                        program, own_options = (old, new)[side]
                        rows[side].append(run(program, own_options, longer, CASES[case], options,
                                              folder))
                print(table(f"{clip.stem}, {case}, {options.device}", *rows), flush=True)


if __name__ == "__main__":
    main()
