"""Measures the energy of a frame in the real pipeline, by the counters of NVML (GPU) and RAPL (CPU)."""
import ctypes
import pathlib
import statistics
import time

import measurement
from csv_tables import spread
from nms import inputs
from nms.pipeline import RULES, options_of
from nms.tables import FrameEnergy

COPIES = {"crowd": 16, "mosaic": 8}  # of the input, so that the runs differ by more than two seconds
POWERCAP = pathlib.Path("/sys/class/powercap")


class NoCounter(Exception):
    """Says why a counter can't be read."""


class Gpu:
    """Reads the first GPU's counter, which also counts the energy that other programs use."""

    NAME = "GPU"

    def __init__(self):
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError as missing:
            raise NoCounter(f"NVML: {missing}") from missing
        self.device = ctypes.c_void_p()
        self.check(self.nvml.nvmlInit_v2(), "nvmlInit")
        self.check(self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(self.device)), "nvmlDeviceGetHandleByIndex")

    def check(self, result, what):
        if result != 0:
            raise NoCounter(f"{what}: error {result} of NVML")

    def joules(self):
        millijoules = ctypes.c_ulonglong()
        self.check(self.nvml.nvmlDeviceGetTotalEnergyConsumption(self.device, ctypes.byref(millijoules)),
                   "nvmlDeviceGetTotalEnergyConsumption")
        return millijoules.value / 1000


class Cpu:
    """Reads the counters of all packages of the processor, like experiments/programs/hardware/cpu_energy.h."""

    NAME = "CPU"

    def __init__(self, powercap=POWERCAP):
        self.packages = [folder for folder in sorted(powercap.glob("intel-rapl:*"))
                         if folder.name.count(":") == 1]
        if not self.packages:
            raise NoCounter(f"{powercap}: no counter of the processor's energy")
        self.last = [self.read(folder) for folder in self.packages]
        self.sum = 0

    def read(self, folder, file="energy_uj"):
        try:
            return int((folder / file).read_text())
        except OSError as failure:
            raise NoCounter(f"{folder.name}: {failure.strerror}") from failure

    def joules(self):
        now = [self.read(folder) for folder in self.packages]
        for folder, before, after in zip(self.packages, self.last, now):
            wrapped = 0 if after >= before else self.read(folder, "max_energy_range_uj")
            self.sum += (after + wrapped - before) / 1e6
        self.last = now
        return self.sum


def counters():
    """Returns the counters that can be read. Raises NoCounter if the GPU's counter can't be read."""
    found = [Gpu()]
    try:
        found.append(Cpu())
    except NoCounter:
        pass  # virtual machines have no such counter; then the CPU's rows are missing
    return found


def difference(found, work):
    """Returns the seconds that work() takes, and the joules that each counter measures meanwhile."""
    before = [counter.joules() for counter in found]
    begin = time.monotonic()
    work()
    seconds = time.monotonic() - begin
    return seconds, [counter.joules() - joules for counter, joules in zip(found, before)]


def copies(source, count, folder):
    """Returns `count` paths of the same file, because facepipe accepts each path only once."""
    names = [folder / f"{source.name}-{number}{source.file.suffix}" for number in range(count)]
    for name in names:
        if not name.exists():
            name.symlink_to(source.file)
    return names


def run(arguments, source, rule, count, folder):
    """Runs facepipe on `count` copies. Returns the number of frames that it has searched."""
    _, report = measurement.facepipe(
        arguments, [*copies(source, count, folder), "--no-video", "--detections", folder / "detections.jsonl",
                    "--overwrite", "--device", arguments.device, *options_of(rule, source), *inputs.limit(arguments)])
    return sum(one["frames_searched"] for one in report)


def of_frame(found, run_copies, many):
    """Returns a frame's seconds, its joules by each counter, and the number of frames of these means."""
    frames = {}
    short = difference(found, lambda: frames.update({1: run_copies(1)}))
    long = difference(found, lambda: frames.update({many: run_copies(many)}))
    more = frames[many] - frames[1]
    return (long[0] - short[0]) / more, [(after - before) / more for before, after in zip(short[1], long[1])], more


def measure(arguments, source, folder):
    """Returns a FrameEnergy for each rule and counter."""
    found = counters()
    rest, idle = difference(found, lambda: time.sleep(float(arguments.energy_seconds)))
    rows = []
    for rule in RULES:
        each = [of_frame(found, lambda count: run(arguments, source, rule, count, folder), COPIES[source.name])
                for _ in range(arguments.repeats)]
        frame_ms = 1000 * statistics.median(seconds for seconds, _, _ in each)
        rows += [FrameEnergy(source.name, arguments.device, rule, counter.NAME, each[0][2], len(each),
                             *spread([1000 * joules[place] for _, joules, _ in each]), idle[place] / rest, frame_ms)
                 for place, counter in enumerate(found)]
    return rows
