"""Defines the rows of each table of these experiments."""
from dataclasses import dataclass


@dataclass
class Time:
    """The time of one step of channel features on one picture.

    A time is the median of single calls. `median_ms` is the median of such times over the repeats; `low_ms` and
    `high_ms` are the least and the greatest of them.
    """

    input: str
    model: str  # what the model finds: the class in its file
    scales: str  # "one": only the first, as the paper measures; "all": from the object's own size on
    who: str  # "CPU", or a name of bench_acf_variants
    part: str  # features, evaluation, total; or a step of the features
    threads: int | None  # of the CPU
    trees: int | None  # number of first trees, for the hybrids
    windows: int | None
    alive: int | None  # windows that the first trees leave
    passed: int | None
    repeats: int
    median_ms: float
    low_ms: float
    high_ms: float


@dataclass
class NppTime:
    """The time of one step of the features by NPP, or by the kernel that replaces NPP. The repeats are summarised as in
    Time."""

    input: str
    step: str
    who: str  # NPP or ours
    mean_difference: float  # of the samples, from those of our kernel
    largest_difference: float
    repeats: int
    median_ms: float
    low_ms: float
    high_ms: float


@dataclass
class DetectorTime:
    """The time from a frame in the working device's memory to candidates there. The repeats are summarised as in
    Time."""

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


@dataclass
class Coarse:
    """The average precision of the fine detector, of a coarse one, and of both, one after the other."""

    detector: str
    coarse_trees: int | None
    images: int
    easy: float
    medium: float
    hard: float
    left: float | None  # share of the fine windows that the coarse detector leaves


TABLES = {
    "cpu": Time,  # Tables 1 to 4
    "cuda": Time,
    "part": Time,  # Tables 1 to 3 on a part of the chip
    "npp": NppTime,  # listing 1, where the paper calls NPP
    "detectors_cpu": DetectorTime,  # Table 4, Fig. 5
    "detectors_cuda": DetectorTime,
    "accuracy": Accuracy,  # Fig. 5
    "curves": CurvePoint,  # Fig. 4
    "coarse": Coarse,  # Fig. 2
}

# {table: the part that fills it completely}
PARTS_OF_TABLES = {"cpu": "acf-cpu", "cuda": "acf-cuda", "part": "acf-part-cuda", "npp": "acf-npp",
                   "detectors_cpu": "detectors-cpu", "detectors_cuda": "detectors-cuda",
                   "accuracy": "acf-accuracy", "curves": "acf-accuracy", "coarse": "coarse-accuracy"}
