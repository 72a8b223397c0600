#!/usr/bin/env python3
"""Measures what it costs to make a video in parts, on the CPU of one machine.

    build/cluster-python/bin/python bench/cluster_cpu.py [--rows parts,slurm,split,join,driver] [--note "busy machine"]

parts   12 parts on a Ray of this machine, from the first task's start to the last one's end, divided by the time of
        `run --parts 12`. Ray's start doesn't count.
slurm   The same on a Slurm of this machine, whose start doesn't count either. The row is left out if there is no Slurm.
split   `split run` of an hour of 1080p, divided by the time in which ffmpeg reads its packets.
join    the rate of `join`, divided by the rate of `cp --reflink=never` and `sync` of the joined video. The input and the
        parts are in the system's cache.
driver  CPU seconds of facepipe-ray for each of 1,000 tasks that do nothing. Its start doesn't count.

Both sides of a quotient run one after the other, --pairs times, and take turns to be first. The result shows the median
of each side, and the median of the pairs' quotients. "./dev test --cluster" installs Ray in build/cluster-python.
"""
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import clips
import measurement

ROWS = ("parts", "slurm", "split", "join", "driver")
LIMITS = {"parts": "at most 1.10, aim 1.03", "slurm": "at most 1.10, aim 1.03", "split": "at most 1.5, aim 1.1", "join": "at least 0.5, aim 0.8",
          "driver": "at most 50, aim 20"}


def timed(command, **variables):
    return measurement.run(command, {**os.environ, **variables}).wall_s


def in_pairs(pairs, first, second):
    """Runs both functions in turns. Returns the medians of what they give, and of first / second."""
    found = []
    for number in range(pairs):
        if number % 2 == 0:
            found.append((first(), second()))
        else:
            found.append(tuple(reversed((second(), first()))))
    quotients = [one / other for one, other in found]
    return (statistics.median(pair[0] for pair in found), statistics.median(pair[1] for pair in found),
            statistics.median(quotients), min(quotients), max(quotients))


def line(name, what, measured, unit="s"):
    first, second, quotient, least, most = measured
    return (f"{name:8} {what[0]:34} {first:10.2f} {unit}\n{'':8} {what[1]:34} {second:10.2f} {unit}\n"
            f"{'':8} {'quotient (median, least, most)':34} {quotient:10.3f} {least:.3f} {most:.3f}   {LIMITS[name]}\n")


class Ray:
    """A Ray of this machine, which the measurement starts and ends."""

    def __init__(self, processors):
        from ray.cluster_utils import Cluster
        self.cluster = Cluster(initialize_head=True,
                               head_node_args={"num_cpus": processors, "include_dashboard": False})

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.cluster.shutdown()

    def work(self, arguments, folder, words, **variables):
        """Runs facepipe-ray. Returns its usage and its events."""
        shutil.rmtree(folder, ignore_errors=True)
        used = measurement.run(
            [sys.executable,
             measurement.REPOSITORY / "python" / "facepipe-ray", *words, "-o", folder, "-q", "--address",
             self.cluster.address],
            {**os.environ, "FACEPIPE_PROGRAM": str(arguments.facepipe), **variables})
        events = [json.loads(text) for text in (folder / "events.jsonl").read_text().splitlines()]
        if any(event["code"] != 0 for event in events):
            raise SystemExit(f"a task has failed: {events}")
        return used, events


def twelve_parts(arguments, folder):
    """Returns a clip of 12 parts, the options of the work on it, and a function that makes the parts in one run."""
    clip = clips.repeated(arguments.clip, 12 * arguments.part_seconds * 25, folder)
    making = ["--device", "cpu", "--codec", "libx264", "--preset", "ultrafast", "--detect-size", arguments.detect_size]
    plan = folder / "twelve.json"
    measurement.run([arguments.facepipe, "split", "run", clip, *making, "--parts", "12", "-o", plan, "-q"])
    made = len(json.loads(plan.read_text())["parts"])
    if made != 12:
        raise SystemExit(f"there are {made} parts instead of 12: choose another --clip or --part-seconds")

    def in_one_run():
        return timed([arguments.facepipe, "run", clip, *making, "--parts", "12", "-q", "-o", folder / "whole.mp4",
                      "--overwrite"])

    return clip, making, in_one_run


def measure_slurm(arguments, folder):
    """12 parts with one thread each, on a Slurm with as many processors as this machine."""
    sys.path.insert(0, str(measurement.REPOSITORY / "tests" / "cluster"))
    import one_slurm
    if not one_slurm.INSTALLED:
        return ""
    clip, making, in_one_run = twelve_parts(arguments, folder)
    script = measurement.REPOSITORY / "cluster" / "slurm" / "submit-parts"
    with one_slurm.one_slurm(folder) as variables:
        def on_slurm():
            parts = folder / "parts"
            shutil.rmtree(parts, ignore_errors=True)
            (folder / "joined.mp4").unlink(missing_ok=True)
            began = time.monotonic()
            measurement.run([arguments.facepipe, "split", "run", clip, *making, "--threads", "1", "--parts", "12", "-o",
                             folder / "plan.json", "--overwrite", "-q"])
            measurement.run([script, folder / "plan.json", parts, folder / "joined.mp4"],
                            {**variables, "FACEPIPE_PROGRAM": str(arguments.facepipe)})
            one_slurm.wait_for_jobs(variables, folder, seconds=7200)
            if not (folder / "joined.mp4").exists():
                raise SystemExit("a job has failed")
            return time.monotonic() - began

        measured = in_pairs(arguments.pairs, on_slurm, in_one_run)
    return line("slurm", (f"12 parts of {arguments.part_seconds} s on Slurm", "run --parts 12"), measured)


def measure_parts(arguments, folder):
    """12 parts with one thread each, on as many workers as there are processors."""
    clip, making, in_one_run = twelve_parts(arguments, folder)
    # So many megabytes that the clip has 12 parts.
    size = clip.stat().st_size / 12 / 1e6 + 1e-6
    with Ray(measurement.cores()) as ray:
        def on_ray():
            _, events = ray.work(arguments, folder / "ray", ["run", clip, *making, "--part-size", f"{size:.6f}"])
            made = sum(".part-" in event["task"] for event in events)
            if made != 12:
                raise SystemExit(f"facepipe-ray has made {made} parts instead of 12")
            return max(event["end"] for event in events) - min(event["start"] for event in events)

        measured = in_pairs(arguments.pairs, on_ray, in_one_run)
    return line("parts", (f"12 parts of {arguments.part_seconds} s on Ray", "run --parts 12"), measured)


def measure_split(arguments, folder):
    clip = clips.repeated(arguments.clip, arguments.minutes * 60 * 25, folder)
    plan = folder / "plan.json"
    measured = in_pairs(
        arguments.pairs,
        lambda: timed([arguments.facepipe, "split", "run", clip, "--parts", "12", "-o", plan, "--overwrite", "-q"]),
        lambda: timed(["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-map", "0:v:0", "-c", "copy", "-f", "null", "-"]))
    size = clip.stat().st_size / 1e9
    return line("split", (f"split, {arguments.minutes} minutes, {size:.2f} GB", "ffmpeg reads the packets"), measured)


def measure_join(arguments, folder):
    clip = clips.repeated(arguments.clip, arguments.join_seconds * 25, folder)
    plan, parts, joined = folder / "plan.json", folder / "parts", folder / "joined.mkv"
    measurement.run([arguments.facepipe, "split", "run", clip, "--parts", "4", "-o", plan, "--overwrite", "-q", "--device",
                     "cpu", "--detect-size", "64x64", "--codec", "mjpeg", "--format", "matroska"])
    for part in range(len(json.loads(plan.read_text())["parts"])):
        measurement.run([arguments.facepipe, "part", plan, part + 1, "--out", parts, "-q"])

    def join():
        joined.unlink(missing_ok=True)
        return timed([arguments.facepipe, "join", plan, "--from", parts, "-o", joined, "-q"])

    def copy():
        (folder / "copy").unlink(missing_ok=True)
        return timed(["sh", "-c", 'cp --reflink=never "$0" "$1" && sync "$1"', joined, folder / "copy"])

    join()
    copy()  # both once, so that the files are cached
    # The quotient of the rates is the inverse of that of the times.
    measured = in_pairs(arguments.pairs, copy, join)
    return line("join", (f"cp and sync, {joined.stat().st_size / 1e9:.2f} GB", "join"), measured)


def measure_driver(arguments, folder):
    """The program of these tasks only says that it has done its work."""
    table = measurement.run([arguments.facepipe, "help", "--json"]).output
    (folder / "help.json").write_text(table)
    program = folder / "facepipe"
    program.write_text(f'#!/bin/sh\n[ "$1" = help ] && exec cat "{folder}/help.json"\n'
                       "echo '{\"frames\": 1, \"exit_code\": 0}'\n")
    program.chmod(0o755)
    used = {}
    with Ray(measurement.cores()) as ray:
        for count in (1, 1 + arguments.tasks):
            source = folder / f"in{count}"
            source.mkdir()
            for number in range(count):
                (source / f"{number}.mp4").touch()
            began = time.time()
            used[count], _ = ray.work(arguments, folder / "out", ["run", source], FACEPIPE_PROGRAM=str(program))
            wall_s = time.time() - began
    each_ms = (used[1 + arguments.tasks].cpu_s - used[1].cpu_s) / arguments.tasks * 1000
    return (f"{'driver':8} {f'CPU of the driver, {arguments.tasks} tasks':34} {used[1 + arguments.tasks].cpu_s:10.2f} s"
            f" in {wall_s:.0f} s\n{'':8} {'CPU of the driver, one task':34} {used[1].cpu_s:10.2f} s\n"
            f"{'':8} {'for each task':34} {each_ms:10.2f} ms   {LIMITS['driver']}\n")


def main():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    options.add_argument("--rows", default=",".join(ROWS), help=f"which of {', '.join(ROWS)} (default: all)")
    options.add_argument("--pairs", type=int, default=3, help="default: 3")
    options.add_argument("--part-seconds", type=int, default=30, help="of the rows parts and slurm (default: 30)")
    options.add_argument("--detect-size", default="640x384", help="of the rows parts and slurm (default: 640x384)")
    options.add_argument("--minutes", type=int, default=60, help="of the row split (default: 60)")
    options.add_argument("--join-seconds", type=int, default=120, help="of the row join (default: 120)")
    options.add_argument("--tasks", type=int, default=1000, help="of the row driver (default: 1000)")
    options.add_argument("--note", default="idle machine", help='what the result says about the machine\'s load')
    arguments = options.parse_args()
    rows = arguments.rows.split(",")
    if not set(rows) <= set(ROWS):
        options.error(f"--rows: choose from {', '.join(ROWS)}")
    arguments.facepipe = pathlib.Path(arguments.facepipe).resolve()
    measure = {"parts": measure_parts, "slurm": measure_slurm, "split": measure_split, "join": measure_join, "driver": measure_driver}
    body = ""
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            body += measure[row](arguments, pathlib.Path(folder)) + "\n"
    facts = {"load": arguments.note, "clip": arguments.clip.name, "pairs": arguments.pairs}
    measurement.write_result(arguments, facts, body.rstrip() + "\n")


if __name__ == "__main__":
    main()
