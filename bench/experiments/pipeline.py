"""Suppression within the real pipeline: decode, detect, suppress; by its own latency file."""
import statistics
from collections import defaultdict

import frame_times
import measurement
from tables import FrameTime, Share, spread

RULES = {
    "greedy": ["--nms-rule", "greedy"],
    "matrix as published": ["--nms-rule", "matrix", "--nms-overlap", "winner-area", "--nms-squares",
                            "--nms-plus-one", "--nms-d-max", "4096", "--nms-k", "32"],
}
STAGES = ("preprocess", "inference", "nms")


def run(arguments, source, rule, folder):
    """Each frame's times, numbers of faces, and the report, of one run over an Input."""
    latency = folder / "latency.csv"
    limit = ["--end", str(arguments.frames / 50)] if arguments.frames else []
    _, report = measurement.facepipe(
        arguments, [source.file, "--no-video", "--latency", latency, "--overwrite", "--score",
                    source.score, "--device", arguments.device, *RULES[rule], *limit])
    with open(latency, encoding="utf-8") as lines:
        return frame_times.read(lines, 0), faces_of(latency), report[0]


def faces_of(latency):
    with open(latency, encoding="utf-8") as lines:
        columns = next(lines).strip().split(",")
        place = columns.index("faces")
        return [int(line.strip().split(",")[place]) for line in lines]


def milliseconds(frame, stage):
    begin, end = frame.stages[stage]
    return end - begin


def measure(arguments, source, folder):
    """FrameTimes and Shares of both rules over one Input, and the last run's report."""
    rows, shares = [], []
    for rule in RULES:
        times = defaultdict(list)
        stages = {stage: [] for stage in STAGES}
        rates = []
        for _ in range(arguments.repeats):
            frames, faces, report = run(arguments, source, rule, folder)
            for frame, count in zip(frames, faces, strict=True):
                times[frame.frame, frame.candidates, count].append(1000 * milliseconds(frame, "nms"))
            settled = frames[len(frames) // 5:]  # the first of them wait for the program to start
            for stage, medians in stages.items():
                medians.append(statistics.median(milliseconds(frame, stage) for frame in settled))
            rates.append(frame_times.rate(settled))
        rows += [FrameTime(source.name, frame, rule, candidates, count, len(values), *spread(values))
                 for (frame, candidates, count), values in times.items()]
        shares.append(Share(source.name, report["device"], rule, arguments.repeats,
                            *spread(stages["nms"]), statistics.median(stages["preprocess"]),
                            statistics.median(stages["inference"]), statistics.median(rates)))
    return rows, shares, report
