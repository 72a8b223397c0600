"""Reads what facepipe's latency file (--latency) and its progress lines say of a run that has settled."""
import csv
import math
from dataclasses import dataclass

STAGES = ("read", "decode", "preprocess", "inference", "nms", "overlay", "encode", "mux")
DEVICE_STAGES = ("preprocess", "inference", "nms", "overlay")  # stages in one graph


@dataclass
class FrameTimes:
    frame: int
    stages: dict  # {name: (begin, end)} in ms, of the stages that ran
    total_ms: float
    latency_ms: float
    candidates: int
    faces: int

    def begin(self, names):
        return min(self.stages[name][0] for name in names if name in self.stages)

    def end(self, names=STAGES):
        return max(self.stages[name][1] for name in names if name in self.stages)


def read(lines, first):
    """Returns the frames from number `first` on, from the file of one input."""
    frames = []
    for row in csv.DictReader(lines):
        if int(row["frame"]) < first:
            continue
        stages = {name: (float(row[f"{name}_begin_ms"]), float(row[f"{name}_end_ms"]))
                  for name in STAGES if row[f"{name}_begin_ms"]}
        frames.append(FrameTimes(int(row["frame"]), stages, float(row["total_ms"]),
                                 float(row["latency_ms"]), int(row["candidates"]),
                                 int(row["faces"])))
    if len(frames) < 2:
        raise ValueError(f"fewer than two frames from frame {first} on")
    return frames


def percentile(values, share):
    """Returns the percentile by the nearest rank, like the program."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def percentiles(values):
    return tuple(percentile(values, share) for share in (0.5, 0.95, 0.99))


def rate(frames):
    """Returns frames a second, by the times at which frames left the last stage."""
    ends = sorted(frame.end() for frame in frames)
    return 1000 * (len(ends) - 1) / (ends[-1] - ends[0])


def covered(intervals):
    """Returns the time in which at least one of the intervals is active."""
    total, reached = 0.0, -math.inf
    for begin, end in sorted(intervals):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total


def busy(frames, names):
    """Returns the share of time in which at least one frame was in one of the stages."""
    intervals = [(frame.begin(names), frame.end(names)) for frame in frames
                 if any(name in frame.stages for name in names)]
    if not intervals:
        return 0.0
    span = max(end for _, end in intervals) - min(begin for begin, _ in intervals)
    return covered(intervals) / span if span > 0 else 0.0


def settled_rate(samples, first):
    """Returns frames a second between two progress lines: the first one with `first` frames, and the last one.

    `samples` are (seconds, frames). Lines without further progress don't count.
    """
    moving = [samples[i] for i in range(len(samples)) if i == 0 or samples[i][1] > samples[i - 1][1]]
    settled = [sample for sample in moving if sample[1] >= first]
    if len(settled) < 2:
        raise ValueError(f"fewer than two progress lines from frame {first} on: more frames are needed")
    (begin, early), (end, late) = settled[0], settled[-1]
    return (late - early) / (end - begin)


def work_shares(frames, fps, decode_fps):
    """Returns the share of time in which each part of the pipeline worked; NVDEC's comes from its rate when it decodes
    alone."""
    return {"decode": fps / decode_fps, "graph": busy(frames, DEVICE_STAGES),
            "encode": busy(frames, ["encode"]), "mux": busy(frames, ["mux"])}


def bound(shares, looks_ahead):
    """Returns the part that worked most; "nothing alone" if all parts had time to spare.

    An encoder that looks ahead always holds frames, so its share says nothing. It is the bound if no other part is.
    """
    known = {name: share for name, share in shares.items() if not (looks_ahead and name == "encode")}
    name, share = max(known.items(), key=lambda item: item[1])
    if share >= 0.9:
        return name
    return "encode" if looks_ahead else f"nothing alone, {name} most"
