#!/usr/bin/env python3
"""Compares what `facepipe plan` tells with what the run then takes: the time, and whether the size lies in its range.

The time must be within 15 % in 9 of 10 runs on an idle machine. The result says how busy the machine was.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import clips
import measurement

MARGIN = 0.15
RUNS = [["run"], ["run", "--draw", "boxes,ids"], ["run", "--every", "3"], ["run", "--preset", "medium"],
        ["run", "--codec", "hevc", "--preset", "ultrafast"], ["run", "--no-video"], ["hide"],
        ["hide", "--style", "mosaic"], ["hide", "--min-face", "40"], ["hide", "--two-pass"]]


def planned(arguments, words):
    """Returns what the plan tells: seconds, and the range of bytes (None without video)."""
    ended = subprocess.run([str(arguments.facepipe), "plan", *words, "--json"], capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"plan {words} ended with {ended.returncode}:\n{ended.stderr}")
    plan = json.loads(ended.stdout)["all"]
    return plan["seconds"], plan["bytes"]


def line(words, planned_s, took, size, planned_bytes):
    error = planned_s / took - 1
    fits = "" if planned_bytes is None else "inside" if planned_bytes["low"] <= size <= planned_bytes["high"] else "OUTSIDE"
    return f"{' '.join(words):<44}{planned_s:8.1f} s{took:8.1f} s{100 * error:+8.1f} %  {fits}\n", abs(error) <= MARGIN, fits


def main():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    options.add_argument("--frames", type=int, default=1000, help="of the clip, which is repeated (default: 1000)")
    options.add_argument("--only", metavar="COMMAND", choices=sorted({words[0] for words in RUNS}),
                         help="measure only the runs of this command (default: all)")
    arguments = options.parse_args()
    runs = [words for words in RUNS if arguments.only in (None, words[0])]
    body = f"{'':<44}{'planned':>10}{'took':>10}{'error':>10}  size\n"
    good, outside, loads = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        clip = clips.repeated(arguments.clip, arguments.frames, folder)
        for number, words in enumerate(runs):
            output = pathlib.Path(folder) / f"{number}.mp4"
            whole = [words[0], str(clip), *words[1:], *([] if "--no-video" in words else ["-o", str(output)])]
            loads.append(os.getloadavg()[0])
            planned_s, planned_bytes = planned(arguments, whole)
            begin = time.monotonic()
            measurement.run([arguments.facepipe, *whole, "-q"])
            took = time.monotonic() - begin
            size = output.stat().st_size if output.exists() else 0
            text, is_near, fits = line(words, planned_s, took, size, planned_bytes)
            output.unlink(missing_ok=True)
            body += text
            good += is_near
            outside += fits == "OUTSIDE"
            print(text, end="", flush=True)
    body += (f"\ntimes within 15 %: {good} of {len(runs)} (must: 9 of 10)\n"
             f"sizes outside of their range: {outside} (must: 0)\n")
    facts = {"clip": f"{arguments.frames} frames of {arguments.clip.name}",
             "load": f"{min(loads):.1f} to {max(loads):.1f} threads before the plans, on {measurement.cores()} cores"}
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()
