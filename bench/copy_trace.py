#!/usr/bin/env python3
"""Proves from outside the program that no picture leaves the device, by a trace of all CUDA memory copies.

The script runs facepipe --device cuda --codec mjpeg under CUPTI (bench/copy_trace/injection.cpp) four times: without
more options, with --detections, with hidden faces, and, as a control, with --decoder cpu. In the control, the host
copies pictures to the device, which must break the rules of bench/copy_rules.py. The script's exit code is 1 if another
run breaks the rules, or if the control doesn't. CUPTI sees copies, fills and managed memory. It doesn't see that
kernels read or write mapped memory of the host.
"""
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
from dataclasses import asdict

import clips
import copy_rules
import measurement

TRACE, FACTS = "trace.tsv", "facts.json"


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_clip(options)
    options.add_argument("--frames", type=int, default=500,
                         help="the clip, an MP4, is repeated to have as many (default: 500)")
    options.add_argument("--lanes", default="auto", help="as facepipe's (default: auto)")
    options.add_argument("--library", type=pathlib.Path,
                         default=measurement.REPOSITORY / "build" / "bench" / "bench_copy_trace.so",
                         help="default: build/bench/bench_copy_trace.so (cmake -DFACEPIPE_BENCH=ON)")
    options.add_argument("--cupti", type=pathlib.Path, metavar="FOLDER",
                         help="that holds libcupti.so.13 (default: where Python's packages have it, else "
                              "where the library was linked with it)")
    options.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                         help="keep what was recorded there, in a folder for each run")
    options.add_argument("--judge", type=pathlib.Path, metavar="FOLDER",
                         help="run nothing: judge what --keep kept")
    return options.parse_args()


def cupti_folder():
    """Returns the folder of CUPTI's library. NVIDIA's Python packages have had two layouts."""
    for package, inner in (("nvidia.cu13", "lib"), ("nvidia.cuda_cupti", "lib")):
        try:
            found = importlib.util.find_spec(package)
        except ImportError:
            continue
        for root in (found.submodule_search_locations if found else None) or []:
            if (pathlib.Path(root) / inner / "libcupti.so.13").exists():
                return pathlib.Path(root) / inner
    return None


def environment(arguments, trace):
    variables = dict(os.environ)
    variables["CUDA_INJECTION64_PATH"] = str(arguments.library.resolve())
    variables["FACEPIPE_COPY_TRACE"] = str(trace)
    folders = [str(arguments.cupti or cupti_folder() or ""), variables.get("LD_LIBRARY_PATH", "")]
    variables["LD_LIBRARY_PATH"] = ":".join(folder for folder in folders if folder)
    return variables


def facts_of(clip, output, run):
    width, height = run["size"]
    copies = {kind: {key: told[key] for key in ("calls", "bytes")}
              for kind, told in run["copies"].items()}
    return copy_rules.Facts(width * height * 3 // 2, run["frames"]["written"],
                            clips.packet_sizes(clip), clips.packet_sizes(output), copies)


def record(arguments, clip, folder, words, command):
    """Runs the program once, writes the trace and the program's messages to `folder`, and returns the run's report."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        output = f"{scratch}/out.mp4"
        words = [clip, "--device", "cuda", "--codec", "mjpeg", "--output", output, "--lanes",
                 arguments.lanes, *words]
        if "--detections" in words:
            words.append(f"{scratch}/faces.jsonl")
        _, report = measurement.facepipe(arguments, words, environment(arguments, folder / TRACE), command)
        facts = facts_of(clip, output, report[0])
    (folder / FACTS).write_text(json.dumps(asdict(facts)))
    return report


def judged(folder):
    """Returns the verdict on a run, and its text. If the trace can't be read, the verdict has a violation."""
    facts = copy_rules.Facts(**json.loads((folder / FACTS).read_text()))
    try:
        with open(folder / TRACE, encoding="utf-8") as lines:
            verdict = copy_rules.judge(copy_rules.read_trace(lines), facts)
    except (OSError, ValueError) as failure:
        verdict = copy_rules.Verdict(violations=[str(failure)])
    lines = [f"{facts.frames} frames of {facts.frame_bytes} bytes, packets in "
             f"{sum(facts.input_packets)} bytes, out {sum(facts.output_packets)} bytes\n",
             copy_rules.table(verdict), copy_rules.library_list(verdict),
             *(f"{remark}\n" for remark in verdict.remarks),
             *(f"VIOLATION {text}\n" for text in verdict.violations)]
    return verdict, "".join(lines)


def control_holds(verdict, facts):
    """Returns whether the rules reported the pictures that the control run copied to the device."""
    uploaded = facts.copies["upload"]["calls"]
    return uploaded > 0 and any(text.startswith("to device, steady") for text in verdict.violations)


RUNS = {"mjpeg": [], "mjpeg and detections": ["--detections"], "hide": [], "control": ["--decoder", "cpu"]}


def conclude(folder):
    """Returns the text of all runs, and whether all runs have the expected verdict."""
    parts, good = [], True
    for name in RUNS:
        place = folder / name.replace(" ", "_")
        verdict, text = judged(place)
        if name == "control":
            facts = copy_rules.Facts(**json.loads((place / FACTS).read_text()))
            passed = control_holds(verdict, facts)
            result = "the pictures that went to the device were noticed" if passed else "NOT NOTICED"
        else:
            passed = not verdict.violations
            result = "no picture crossed" if passed else "FAILED"
        good = good and passed
        parts.append(f"{name}{' ' + ' '.join(RUNS[name]) if RUNS[name] else ''}: {result}\n{text}")
    return "\n".join(parts), good


def measure(arguments, folder):
    with tempfile.TemporaryDirectory() as scratch:
        clip = clips.repeated(arguments.clip, arguments.frames, scratch)
        for name, words in RUNS.items():
            command = "hide" if name == "hide" else "run"
            report = record(arguments, clip, folder / name.replace(" ", "_"), words, command)
    return {**measurement.engine_facts(report), "device": measurement.gpu()}


def main():
    arguments = arguments_given()
    if arguments.judge:
        text, good = conclude(arguments.judge)
        print(text, end="")
    else:
        with tempfile.TemporaryDirectory() as scratch:
            folder = arguments.keep or pathlib.Path(scratch)
            facts = measure(arguments, folder)
            text, good = conclude(folder)
        measurement.write_result(arguments, facts, text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
