"""Defines the rows of each table of these experiments."""
from dataclasses import dataclass


@dataclass
class Timing:
    """The time of one method of suppression on one set of candidates.

    A time is the median of single calls. `median_us` is the median of such times over the repeats; `low_us` and
    `high_us` are the least and the greatest of them.
    """

    input: str
    index: int  # index of the frame or picture
    candidates: int
    who: str  # e.g. "greedy, CUDA"; see programs.py
    part: str  # memset, map, reduce, both, all; kernel, allocation, copy, host, together; or empty
    k: int | None
    d_max: int | None
    multiprocessors: int | None
    kept: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


@dataclass
class Energy:
    """The energy of one method of suppression, repeated on one set of candidates, or of the idle device ("idle").

    Each repeat is a loop of some seconds. `low_` and `high_` are the least and the greatest repeat.
    """

    input: str
    index: int
    candidates: int
    who: str
    part: str
    k: int | None
    kept: int
    repeats: int
    calls: int  # calls in a repeat; 0 if idle
    watts: float
    low_watts: float
    high_watts: float
    call_uj: float | None  # microjoules for each call, including the energy that the idle device uses
    low_call_uj: float | None
    high_call_uj: float | None


@dataclass
class FrameEnergy:
    """The energy of a frame in the pipeline, measured by the counter of the GPU or the CPU.

    It is the difference of two runs of facepipe, divided by the difference of their numbers of frames. One run has
    several copies of an input, and the other has one. So the program's start doesn't count.
    """

    input: str
    device: str  # on which facepipe runs
    rule: str
    counter: str  # GPU or CPU
    frames: int
    repeats: int
    frame_mj: float
    low_frame_mj: float
    high_frame_mj: float
    idle_watts: float
    frame_ms: float  # wall time

    def above_idle_mj(self):
        return self.frame_mj - self.idle_watts * self.frame_ms


@dataclass
class FrameTime:
    """The time of one frame's suppression in the pipeline, from the latency file. The repeats are summarised as in
    Timing."""

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
    """The share of suppression in a frame's time in the pipeline: medians over frames, then over repeats."""

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
    "pipeline": FrameTime,  # Fig. 12, in the pipeline
    "crowd": Timing,  # Fig. 12, kernels alone; 2016, Fig. 5
    "mosaic": Timing,  # Fig. 13, Table 6
    "printed": Timing,  # the kernels as they are printed; 2016, Fig. 4
    "steps": Timing,  # from the printed kernels to ours
    "chips": Timing,  # parts of a chip
    "variations": Timing,  # Adaptive-NMS, FeatureNMS; map and reduce in one kernel
    "energy": Energy,
    "frame_energy": FrameEnergy,
    "share": Share,  # section 6
    "accuracy": Accuracy,  # Table 7
    "differences": Differences,
}

# {table: the part that fills it completely}
PARTS_OF_TABLES = {"cores": "nms-cuda", "reduce": "nms-cuda", "crowd": "nms-crowd", "printed": "nms-printed",
                   "steps": "nms-printed", "chips": "nms-chips", "pipeline": "pipeline", "share": "pipeline",
                   "frame_energy": "frame-energy", "accuracy": "accuracy", "differences": "differences"}
