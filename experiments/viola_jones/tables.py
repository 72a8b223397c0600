"""Defines the rows of each table of these experiments. Times are medians of single frames or launches. `median_us` is
the median of such times over the repeats; `low_us` and `high_us` are the least and the greatest of them."""
from dataclasses import dataclass


@dataclass
class Grid:
    """The grid of a scale of VGA pictures."""

    scale: int
    factor: float
    step: int
    window: int
    block_columns: int
    block_rows: int
    columns: int  # columns of windows
    rows: int

    def windows(self):
        return self.columns * self.rows


@dataclass
class Work:
    """The work of one scale of one picture, as the plain loop counts it."""

    picture: str
    scale: int
    windows: int
    stumps: int  # evaluated stumps
    found: int


@dataclass
class Stage:
    """The number of windows of all scales of a picture that pass a stage."""

    picture: str
    stage: int
    left: int


@dataclass
class Frame:
    """The time of a whole picture by one program or variant."""

    picture: str
    who: str
    copies: str  # "with copies" of picture and windows, "without", or empty on the CPU
    found: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


@dataclass
class ScaleTime:
    """The time of one scale's kernel."""

    picture: str
    who: str
    scale: int
    active_warps: float  # on each multiprocessor
    multiprocessors: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


@dataclass
class DeviceTime:
    """The time of a picture on several devices. `device` is "all", or one device's own time."""

    picture: str
    how: str  # threads, MPI or simulated
    dealt: str  # scales, bands or frames
    devices: int
    device: str
    found: int
    repeats: int
    median_us: float
    low_us: float
    high_us: float


TABLES = {
    "grids": Grid,  # Table 2
    "work": Work,  # Fig. 14
    "stages": Stage,
    "cpu": Frame,
    "frames": Frame,  # Fig. 12
    "scales": ScaleTime,  # Fig. 14
    "part_frames": Frame,  # Fig. 12 on a part of the chip
    "part_scales": ScaleTime,  # Fig. 14 on a part of the chip
    "choices": Frame,  # blocks, cached stages, ratios of scales
    "sizes": Frame,  # Table 1
    "devices": DeviceTime,  # Fig. 13, 15
    "mpi": DeviceTime,
}

PARTS_OF_TABLES = {"grids": "windows", "work": "windows", "stages": "windows", "cpu": "cascade-cpu",
                   "frames": "variants", "scales": "scale-times", "part_frames": "part-of-chip",
                   "part_scales": "part-of-chip", "choices": "choices", "sizes": "sizes", "devices": "devices", "mpi": "mpi"}
