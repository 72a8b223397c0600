"""Measures suppression within the real pipeline (decode, detect, suppress) by its latency file."""
import statistics
from collections import defaultdict

import frame_times
import measurement
from csv_tables import spread
from nms import inputs
from nms.tables import FrameTime, Share

RULES = ("greedy", "matrix as published")
STAGES = ("preprocess", "inference", "nms")


def options_of(rule, source):
    """Returns facepipe's options for a rule and for an Input's score. The command line overrides the file."""
    config = [] if rule == "greedy" else ["--config", source.config()]
    return [*config, "--score", source.score]


def run(arguments, source, rule, folder):
    """Returns each frame's times and the report of one run on an Input."""
    latency = folder / "latency.csv"
    _, report = measurement.facepipe(
        arguments, [source.file, "--no-video", "--latency", latency, "--overwrite", "--device", arguments.device,
                    *options_of(rule, source), *inputs.limit(arguments)])
    with open(latency, encoding="utf-8") as lines:
        return frame_times.read(lines, 0), report[0]


def milliseconds(frame, stage):
    begin, end = frame.stages[stage]
    return end - begin


def measure(arguments, source, folder):
    """Returns FrameTimes and Shares of both rules on one Input, and the last run's report."""
    rows, shares = [], []
    for rule in RULES:
        times = defaultdict(list)
        stages = {stage: [] for stage in STAGES}
        rates = []
        for _ in range(arguments.repeats):
            frames, report = run(arguments, source, rule, folder)
            for frame in frames:
                times[frame.frame, frame.candidates, frame.faces].append(1000 * milliseconds(frame, "nms"))
            later = frames[len(frames) // 5:]  # the first frames wait for the program to start
            for stage, medians in stages.items():
                medians.append(statistics.median(milliseconds(frame, stage) for frame in later))
            rates.append(frame_times.rate(later))
        rows += [FrameTime(source.name, frame, rule, candidates, count, len(values), *spread(values))
                 for (frame, candidates, count), values in times.items()]
        shares.append(Share(source.name, report["device"], rule, arguments.repeats,
                            *spread(stages["nms"]), statistics.median(stages["preprocess"]),
                            statistics.median(stages["inference"]), statistics.median(rates)))
    return rows, shares, report
