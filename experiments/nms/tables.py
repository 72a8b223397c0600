"""The rows of each table of these experiments."""
from dataclasses import dataclass


@dataclass
class Timing:
    """The time of one way to suppress one set of candidates.

    A time is the median of single calls. `median_us` is the median of such times over the repeats; `low_us` and
    `high_us` are the least and the greatest of them.
    """

    input: str
    index: int  # index of the frame or picture
    candidates: int
    who: str  # e.g. "greedy, CUDA"; see programs.py
    part: str  # map, reduce, both; kernel, copy, host, together; or empty
    k: int | None
    d_max: int | None
    multiprocessors: int | None
    kept: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


@dataclass
class FrameTime:
    """The time of one frame's suppression in the pipeline, by its latency file; over the repeats, as above."""

    input: str
    frame: int
    rule: str
    candidates: int
    faces: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


@dataclass
class Share:
    """Suppression's part of a frame's time in the pipeline: medians over frames, then over repeats."""

    input: str
    device: str
    rule: str
    repeats: int
    nms_ms: float
    nms_low_ms: float
    nms_high_ms: float
    preprocess_ms: float
    inference_ms: float
    fps: float

    def frame_ms(self):
        """Returns the time from the picture in memory to faces."""
        return self.preprocess_ms + self.inference_ms + self.nms_ms


@dataclass
class Differences:
    """Numbers of boxes of one frame that each rule keeps, and that only one of two rules keeps."""

    input: str
    frame: int
    candidates: int
    greedy_iou: int
    any_iou: int
    differ_iou: int
    greedy_published: int
    any_published: int
    differ_published: int


@dataclass
class Accuracy:
    rule: str
    options: str
    images: int
    easy: float
    medium: float
    hard: float


TABLES = {
    "growing": Timing,  # Fig. 7 and 8
    "sizes": Timing,  # Table 5, seed 002
    "cores": Timing,  # Fig. 9
    "reduce": Timing,  # Fig. 11
    "pipeline": FrameTime,  # Fig. 12
    "mosaic": Timing,  # Fig. 13, Table 6
    "share": Share,  # section 6
    "accuracy": Accuracy,  # Table 7
    "differences": Differences,
}

# Tables that are filled completely by one part.
PARTS_OF_TABLES = {"cores": "nms-cuda", "reduce": "nms-cuda", "pipeline": "pipeline", "share": "pipeline",
                   "accuracy": "accuracy", "differences": "differences"}
