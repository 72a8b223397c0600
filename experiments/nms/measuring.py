"""Measures suppression: options, and a method for each part."""
import pathlib
import sys

import csv_tables
import measurement
import wider
from experiment import Experiment, why_not_built
from nms import accuracy, candidates, frame_energy, inputs, pipeline, programs, rules, tables

ON_CUDA = ("nms-cuda", "nms-crowd", "nms-printed", "nms-chips", "nms-variations", "nms-energy")
PARTS = (*ON_CUDA, "pipeline", "frame-energy", "nms-cpu", "nms-cpu-energy", "differences", "accuracy")
UNTIMED = ("differences", "accuracy")  # parts that give the same result each time, so they run once
# 200, 1027 and 2895 are the sizes of Table 5. 67 is about GNet's mean of 67.3 candidates, and 1000 is the size of the
# chip by Shi et al.
SIZES = (67, 200, 1000, 1027, 2895)
KS = "4,8,16,32,64"
CHIPS = "8,40"  # multiprocessors: about those of a GTX 1060 (10) and a Tesla T4 (40)
DOUBLED = "8,16,32,40,64,80,128"  # multiprocessors; some numbers are twice another number


def add_options(options):
    options.add_argument("--crowd-run", type=pathlib.Path, metavar="CLIP",
                         help="crowd_run, as experiments/inputs/crowd-run makes it, or another clip of a crowd "
                              "(default: a stand-in)")
    options.add_argument("--group", type=pathlib.Path, metavar="PHOTO",
                         help="a group photo (default: a stand-in)")
    options.add_argument("--group-width", type=int, metavar="PIXELS",
                         help="the group photo is scaled to this width (default: as it is)")
    options.add_argument("--crowd-score", default=inputs.CROWD_SCORE, help="default: %(default)s")
    options.add_argument("--group-score", default=inputs.GROUP_SCORE, help="default: %(default)s")
    measurement.add_program(options, "bench_nms")
    measurement.add_program(options, "bench_nms_cuda")
    measurement.add_program(options, "bench_nms_papers")
    measurement.add_program(options, "bench_nms_papers_cpu")
    options.add_argument("--cpu-time", default="0.01",
                         help="seconds a repeat on the CPU takes or more (default: %(default)s)")
    options.add_argument("--energy-seconds", default="2",
                         help="seconds that a loop takes whose energy is measured (default: %(default)s)")
    options.add_argument("--frames", type=int,
                         help="of crowd and mosaic (default: on the CPU 50, else all)")


def derive_defaults(arguments):
    """Sets defaults that depend on other options."""
    if arguments.quick:
        arguments.cpu_time = "0.001"
        arguments.energy_seconds = "0.1"
    if arguments.crowd_run:
        arguments.crowd_run = arguments.crowd_run.resolve()
    if arguments.frames is None and not arguments.cuda:
        arguments.frames = 50


class Measuring(Experiment):
    TABLES = tables.TABLES

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sets = {}  # {input: its candidates, a Set for each frame}
        self.inputs = {}

    def repeats(self, part):
        return 1 if part in UNTIMED else super().repeats(part)

    def prepare(self, parts):
        if parts != ["accuracy"]:
            self.inputs = inputs.make(self.arguments, self.arguments.inputs / "nms")
        if {"nms-cpu", "nms-cpu-energy", "differences", *(ON_CUDA if self.arguments.cuda else [])} & set(parts):
            self.find_candidates()

    def find_candidates(self):
        for source in self.inputs.values():
            print(f"Detecting in {source.file.name}", file=sys.stderr)
            self.sets[source.name], self.report = candidates.of_input(self.arguments, source, self.folder)
            counts = [len(one.faces) for one in self.sets[source.name]]
            median, fewest, most = csv_tables.spread(counts)
            self.facts["inputs"][source.name] = {
                **source.facts(), "size": self.report["size"], "frames": len(counts),
                "candidates": [fewest, median, most]}
            lost = self.report["candidates"] + self.report["candidates_ignored"] - sum(counts)
            self.note(f"candidates of {source.name}, in part",
                      [f"{lost} more were found than a picture had room for"] if lost else [])

    def exact_sizes(self):
        """Returns as many of the last picture's best candidates as published, or all if there are fewer."""
        last = self.sets["growing"][-1]
        return [last.best(size, "sizes") for size in SIZES if size <= len(last.faces)] or [
            last.best(len(last.faces), "sizes")]

    def nonempty(self, name):
        return [one for one in self.sets[name] if one.faces]

    def some(self, name):
        """Returns at most a hundred sets of an input, evenly spaced. They are enough for measurements that take
        long."""
        return self.nonempty(name)[::len(self.sets[name]) // 100 + 1]

    def middle(self, name):
        """Returns the frame with the median number of candidates."""
        sets = sorted(self.nonempty(name), key=lambda one: len(one.faces))
        return sets[len(sets) // 2]

    def nms_cpu(self):
        missing = why_not_built(self.arguments.bench_nms, self.arguments.bench_nms_papers_cpu)
        if missing:
            return missing
        growing, sizes = self.nonempty("growing"), self.exact_sizes()
        ours = lambda sets: programs.on_cpu(self.arguments, sets, self.folder)
        papers = lambda verb, sets: programs.papers_on_cpu(self.arguments, verb, sets, self.folder)
        on_cpu = lambda row: row.who.endswith(("CPU", ")"))
        for table, rows in (("growing", ours(growing) + papers("rcnn", growing[::8])),
                            ("sizes", ours(sizes) + papers("rcnn", sizes)),
                            ("mosaic", ours(self.some("mosaic"))),
                            ("crowd", ours(self.some("crowd"))),
                            ("variations", papers("variations", sizes))):
            self.add(table, rows, on_cpu)
        return None

    def nms_cpu_energy(self):
        missing = why_not_built(self.arguments.bench_nms_papers_cpu)
        if missing:
            return missing
        try:
            frame_energy.Cpu()
        except frame_energy.NoCounter as missing:
            return str(missing)
        rows = programs.energy(self.arguments, self.arguments.bench_nms_papers_cpu, self.exact_sizes(), self.folder,
                               "CPU")
        self.add("energy", rows, lambda row: row.who.endswith("CPU"))
        return None

    def cuda(self, verb, sets, *options):
        return programs.on_cuda(self.arguments, verb, sets, self.folder, *options)

    def take(self, part, steps):
        """Fills tables. `steps` are pairs (table, function that measures rows for it).

        A table is written after each of its steps. So earlier results remain if a later step is interrupted.
        """
        missing = self.why_no_cuda(self.arguments.bench_nms_cuda, self.arguments.bench_nms_papers)
        if missing:
            return missing
        rows = {table: [] for table, _ in steps}
        failures = []
        for table, measure in steps:
            try:
                rows[table] += measure()
            except SystemExit as failure:  # the other results are still useful
                failures.append(f"{table}: {failure}")
            self.add(table, rows[table], lambda row: row.who.endswith("CUDA"))
        return "; ".join(failures) if len(failures) == len(steps) else self.note(f"{part}, in part", failures)

    def nms_cuda(self):
        growing, mosaic = (lambda: self.nonempty("growing")), (lambda: self.nonempty("mosaic"))
        last, sizes = (lambda: self.nonempty("growing")[-1]), self.exact_sizes
        fast = lambda sets: [row for row in self.cuda("rules", sets) if row.who == "fast, CUDA"]
        return self.take("nms-cuda", (
            ("growing", lambda: self.cuda("run", growing())),
            ("growing", lambda: self.cuda("matrix", growing(), "--k", KS)),
            ("growing", lambda: self.cuda("matrix", growing(), "--k", "32", "--published")),
            ("growing", lambda: fast(growing()[::8])),
            ("sizes", lambda: self.cuda("run", sizes())),
            ("sizes", lambda: self.cuda("matrix", sizes(), "--k", "32")),
            ("sizes", lambda: self.cuda("matrix", sizes(), "--k", "32", "--published")),
            ("sizes", lambda: fast(sizes())),
            ("sizes", lambda: self.cuda("bitmask", sizes())),
            ("reduce", lambda: self.cuda("matrix", [last(), *sizes()])),
            ("cores", lambda: self.cuda("cores", [last()])),
            ("mosaic", lambda: self.cuda("run", mosaic())),
            ("mosaic", lambda: self.cuda("matrix", mosaic(), "--k", KS)),
            ("mosaic", lambda: self.cuda("matrix", self.some("mosaic"), "--k", "32", "--published"))))

    def nms_crowd(self):
        crowd = lambda: self.nonempty("crowd")
        return self.take("nms-crowd", (
            ("crowd", lambda: self.cuda("run", crowd())),
            ("crowd", lambda: self.cuda("matrix", crowd(), "--k", "4,32")),
            ("crowd", lambda: self.cuda("matrix", self.some("crowd"), "--k", "8,16,64")),
            ("crowd", lambda: self.cuda("matrix", self.some("crowd"), "--k", "32", "--published"))))

    def nms_printed(self):
        picked = lambda: [*self.exact_sizes(), self.nonempty("growing")[-1]]
        printed = lambda sets: self.cuda("printed", sets, "--k", KS)
        return self.take("nms-printed", (
            ("printed", lambda: printed(self.nonempty("growing"))),
            ("printed", lambda: printed(self.some("crowd"))),
            ("printed", lambda: printed(self.some("mosaic"))),
            ("printed", lambda: printed(self.exact_sizes())),
            ("steps", lambda: self.cuda("steps", picked(), "--k", KS))))

    def nms_chips(self):
        picked = lambda: [*self.exact_sizes(), self.nonempty("growing")[-1], self.middle("crowd"), self.middle("mosaic")]
        largest = lambda: [self.exact_sizes()[-1]]
        return self.take("nms-chips", (
            ("chips", lambda: self.cuda("matrix", picked(), "--k", KS, "--multiprocessors", CHIPS)),
            ("chips", lambda: self.cuda("matrix", picked(), "--k", KS)),
            ("chips", lambda: self.cuda("printed", picked(), "--k", KS, "--multiprocessors", CHIPS)),
            ("chips", lambda: self.cuda("printed", picked(), "--k", KS)),
            ("chips", lambda: self.cuda("printed", largest(), "--k", "32", "--multiprocessors", DOUBLED)),
            ("chips", lambda: self.cuda("matrix", largest(), "--k", "32", "--multiprocessors", DOUBLED))))

    def nms_variations(self):
        return self.take("nms-variations", (
            ("variations", lambda: self.cuda("variations", self.exact_sizes())),
            ("variations", lambda: self.cuda("run", self.exact_sizes())),
            ("variations", lambda: self.cuda("matrix", self.exact_sizes(), "--k", "16,32")),
            ("variations", lambda: self.cuda("grid", self.exact_sizes(), "--k", "16,32"))))

    def nms_energy(self):
        sets = lambda: [one for one in self.exact_sizes() if len(one.faces) not in (67, 1027)] or self.exact_sizes()
        return self.take("nms-energy", (("energy", lambda: programs.energy(
            self.arguments, self.arguments.bench_nms_papers, sets(), self.folder, "CUDA", "--k", "32")),))

    def frame_energy(self):
        missing = self.why_no_cuda()
        if missing:
            return missing
        rows, failures = [], []
        for name in ("crowd", "mosaic"):
            try:
                rows += frame_energy.measure(self.arguments, self.inputs[name], self.folder)
            except frame_energy.NoCounter as missing:
                return str(missing)
            except SystemExit as failure:
                failures.append(f"{name}: {failure}")
        self.add("frame_energy", rows)
        return self.note("frame-energy, in part", failures)

    def pipeline(self):
        rows, shares = [], []
        for name in ("crowd", "mosaic"):
            times, parts, self.report = pipeline.measure(self.arguments, self.inputs[name], self.folder)
            rows += times
            shares += parts
        self.add("pipeline", rows)
        self.add("share", shares)

    def differences(self):
        rows = []
        for name in ("crowd", "mosaic", "growing"):
            for one in self.some(name) if name == "mosaic" else self.nonempty(name):
                boxes = one.boxes()
                rows.append(tables.Differences(
                    name, one.index, len(boxes), *rules.compare(boxes, rules.iou_above(candidates.OVERLAP)),
                    *rules.compare(boxes, rules.published(candidates.OVERLAP))))
        self.add("differences", rows)

    def accuracy(self):
        missing = wider.why_not(self.arguments)
        if not missing:
            rows, self.report = accuracy.measure(self.arguments, self.folder)
            self.add("accuracy", rows)
        return missing
