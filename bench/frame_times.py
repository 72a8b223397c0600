"""Reads facepipe's latency file (--latency) and progress lines, and computes rates and shares from them."""
import csv
import math
from dataclasses import dataclass

STAGES = ("read", "decode", "preprocess", "inference", "nms", "overlay", "encode", "mux")
DEVICE_STAGES = ("preprocess", "inference", "nms", "overlay")  # stages that run in one CUDA graph


@dataclass
class FrameTimes:
    frame: int
    stages: dict  # {name: (begin, end)} of the stages that ran, in ms
    total_ms: float
    latency_ms: float
    candidates: int
    faces: int

    def begin(self, names):
        return min(self.stages[name][0] for name in names if name in self.stages)

    def end(self, names=STAGES):
        return max(self.stages[name][1] for name in names if name in self.stages)


def read(lines, first):
    """Returns the frames from number `first` on that the latency file of one input lists."""
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
    """Returns the percentile by the nearest rank, as the program computes it."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def percentiles(values):
    return tuple(percentile(values, share) for share in (0.5, 0.95, 0.99))


def rate(frames):
    """Returns frames a second, computed from the times at which frames left the last stage."""
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
    """Returns the share of the time in which at least one frame was in one of the stages `names`."""
    intervals = [(frame.begin(names), frame.end(names)) for frame in frames
                 if any(name in frame.stages for name in names)]
    if not intervals:
        return 0.0
    span = max(end for _, end in intervals) - min(begin for begin, _ in intervals)
    return covered(intervals) / span if span > 0 else 0.0


def steady_rate(samples, first):
    """Returns frames a second from the first progress line with at least `first` frames to the last line.

    `samples` are pairs (seconds, frames). Lines that show no further progress don't count.
    """
    moving = [samples[i] for i in range(len(samples)) if i == 0 or samples[i][1] > samples[i - 1][1]]
    steady = [sample for sample in moving if sample[1] >= first]
    if len(steady) < 2:
        raise ValueError(f"fewer than two progress lines from frame {first} on: more frames are needed")
    (begin, early), (end, late) = steady[0], steady[-1]
    return (late - early) / (end - begin)


def work_shares(frames, fps, decode_fps):
    """Returns the share of the time in which each part of the pipeline worked.

    NVDEC's share is the pipeline's rate, divided by NVDEC's rate when it decodes without a pipeline.
    """
    return {"decode": fps / decode_fps, "graph": busy(frames, DEVICE_STAGES),
            "encode": busy(frames, ["encode"]), "mux": busy(frames, ["mux"])}


def bound(shares, looks_ahead):
    """Returns the part that limits the rate: the part with the largest share if that is at least 0.9.

    An encoder that looks ahead always holds frames, so its share says nothing. If no other part is the limit, such an
    encoder is. With other encoders, the text then says that no part alone is the limit, and names the largest share.
    """
    known = {name: share for name, share in shares.items() if not (looks_ahead and name == "encode")}
    name, share = max(known.items(), key=lambda item: item[1])
    if share >= 0.9:
        return name
    return "encode" if looks_ahead else f"nothing alone, {name} most"
