"""What each table of these experiments holds."""
from dataclasses import dataclass


@dataclass
class Time:
    """Of one step of channel features on one picture.

    A time is the median of single calls; `median_ms` is the median of such times over the repeats,
    `low_ms` and `high_ms` are the least and the greatest of them.
    """

    input: str
    model: str  # what the model finds: its file's class
    scales: str  # "one", the first alone, as the paper measures; "all" from the object's own size on
    who: str  # "CPU", or as bench_acf_variants calls it
    part: str  # features, evaluation, total; or a step of the features
    threads: int | None  # of the CPU
    trees: int | None  # that come first, of the hybrids
    windows: int | None
    alive: int | None  # after the first trees
    passed: int | None
    repeats: int
    median_ms: float
    low_ms: float
    high_ms: float


@dataclass
class DetectorTime:
    """From a frame in memory, of the device that works, to candidates there; over the repeats, as above."""

    detector: str
    input: str
    engine: str
    repeats: int
    median_ms: float
    low_ms: float
    high_ms: float


@dataclass
class Accuracy:
    detector: str
    options: str
    engine: str
    images: int
    easy: float
    medium: float
    hard: float


@dataclass
class CurvePoint:
    detector: str
    setting: str
    recall: float
    precision: float


TABLES = {
    "cpu": Time,  # Tables 1 to 4
    "cuda": Time,
    "detectors_cpu": DetectorTime,  # Table 4, Fig. 5
    "detectors_cuda": DetectorTime,
    "accuracy": Accuracy,  # Fig. 5
    "curves": CurvePoint,  # Fig. 4
}

# Tables that one part of the measuring fills by itself: all.
PARTS_OF_TABLES = {"cpu": "acf-cpu", "cuda": "acf-cuda", "detectors_cpu": "detectors-cpu",
                   "detectors_cuda": "detectors-cuda", "accuracy": "acf-accuracy", "curves": "acf-accuracy"}
