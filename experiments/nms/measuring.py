"""Measures suppression: options, and a method for each part."""
import pathlib
import sys

import csv_tables
import measurement
import wider
from experiment import Experiment
from nms import accuracy, candidates, inputs, pipeline, programs, rules, tables

PARTS = ("nms-cuda", "pipeline", "nms-cpu", "differences", "accuracy")
UNTIMED = ("differences", "accuracy")  # parts that give the same result each time, so they run once
SIZES = (200, 1027, 2895)  # the sizes of Table 5


def add_options(options):
    options.add_argument("--crowd-run", type=pathlib.Path, metavar="CLIP",
                         help="crowd_run, as experiments/inputs/crowd-run makes it (default: a stand-in)")
    options.add_argument("--group", type=pathlib.Path, metavar="PHOTO",
                         help="a group photo (default: a stand-in)")
    options.add_argument("--crowd-score", default=inputs.CROWD_SCORE, help="default: %(default)s")
    options.add_argument("--group-score", default=inputs.GROUP_SCORE, help="default: %(default)s")
    measurement.add_program(options, "bench_nms")
    measurement.add_program(options, "bench_nms_cuda")
    measurement.add_program(options, "bench_nms_papers")
    options.add_argument("--cpu-time", default="0.01",
                         help="seconds a repeat on the CPU takes or more (default: %(default)s)")
    options.add_argument("--frames", type=int,
                         help="of crowd and mosaic (default: on the CPU 50, else all)")


def settle(arguments):
    """Sets defaults that depend on other options."""
    if arguments.quick:
        arguments.cpu_time = "0.001"
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
        if {"nms-cpu", "differences", *(["nms-cuda"] if self.arguments.cuda else [])} & set(parts):
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
        """Returns at most a hundred of them, evenly spaced. That is enough for measurements that take long."""
        return self.nonempty(name)[::len(self.sets[name]) // 100 + 1]

    def nms_cpu(self):
        if not self.arguments.bench_nms.exists():
            return f"{measurement.shown(self.arguments.bench_nms)} is not built"
        on_cpu = lambda row: row.who.endswith(("CPU", ")"))
        for table, sets in (("growing", self.nonempty("growing")), ("sizes", self.exact_sizes()),
                            ("mosaic", self.some("mosaic"))):
            self.add(table, programs.on_cpu(self.arguments, sets, self.folder), on_cpu)
        return None

    def nms_cuda(self):
        if not self.arguments.cuda:
            return "no GPU here, or the CPU was asked for"
        for program in (self.arguments.bench_nms_cuda, self.arguments.bench_nms_papers):
            if not program.exists():
                return f"{measurement.shown(program)} is not built"
        growing, mosaic, sizes = self.nonempty("growing"), self.nonempty("mosaic"), self.exact_sizes()
        cuda = lambda verb, sets, *options: programs.on_cuda(self.arguments, verb, sets, self.folder, *options)
        fast = lambda sets: [row for row in cuda("rules", sets) if row.who == "fast, CUDA"]
        steps = (("growing", lambda: cuda("run", growing)),
                 ("growing", lambda: cuda("matrix", growing, "--k", "32")),
                 ("growing", lambda: fast(growing[::8])),
                 ("sizes", lambda: cuda("run", sizes)),
                 ("sizes", lambda: cuda("matrix", sizes, "--k", "32")),
                 ("sizes", lambda: fast(sizes)),
                 ("sizes", lambda: cuda("bitmask", sizes)),
                 ("reduce", lambda: cuda("matrix", [growing[-1], *sizes])),
                 ("cores", lambda: cuda("cores", [growing[-1]])),
                 ("mosaic", lambda: cuda("run", mosaic)),
                 ("mosaic", lambda: cuda("matrix", mosaic, "--k", "4,8,16,32")))
        rows = {table: [] for table, _ in steps}
        failures = []
        for table, measure in steps:
            try:
                rows[table] += measure()
            except SystemExit as failure:  # the other results are still useful
                failures.append(f"{table}: {failure}")
            self.add(table, rows[table], lambda row: row.who.endswith("CUDA"))
        return "; ".join(failures) if len(failures) == len(steps) else self.note("nms-cuda, in part", failures)

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
