"""Measures Viola-Jones: options, and a method for each part."""
import pathlib
import shutil

import cascade_pictures
import measurement
from csv_tables import spread
from experiment import Experiment, why_not_built
from viola_jones import inputs, opencv, programs, published, tables
from viola_jones.tables import Frame

PARTS = ("windows", "cascade-cpu", "variants", "scale-times", "part-of-chip", "choices", "sizes", "devices", "mpi")
MOST_PROCESSES = 8


def add_options(options):
    options.add_argument("--cascade", type=pathlib.Path, default=cascade_pictures.cascade("frontalface_alt"),
                         help="the paper's (default: %(default)s)")
    for program in ("bench_viola_jones", "bench_viola_jones_cuda", "bench_viola_jones_mpi", "bench_cascade"):
        measurement.add_program(options, program)
    options.add_argument("--mpirun", default="mpirun", help="the launcher of MPI's processes (default: mpirun)")


def derive_defaults(arguments):
    pass


class Measuring(Experiment):
    TABLES = tables.TABLES

    def prepare(self, parts):
        self.pictures = inputs.make(self.arguments, self.arguments.inputs / "viola_jones")
        self.facts["inputs"] = inputs.facts(self.pictures)

    def repeats(self, part):
        return 1 if part == "windows" else super().repeats(part)

    def windows(self):
        missing = why_not_built(self.arguments.bench_viola_jones)
        if missing:
            return missing
        work, stages, _ = programs.work(self.arguments, self.pictures)
        self.add("grids", programs.grids(self.arguments))
        self.add("work", work)
        self.add("stages", stages)
        return None

    def cascade_cpu(self):
        rows = []
        if self.arguments.bench_viola_jones.exists():
            rows += self.plain_loop()
        missing = why_not_built(self.arguments.bench_cascade)
        if not missing:
            rows += [programs.ours_on_cpu(self.arguments, picture) for picture in self.pictures]
        without = opencv.why_not()
        self.note("cascade-cpu, in part", list(filter(None, (missing, without))))
        if not without:
            rows += [opencv.frame(self.arguments, picture) for picture in self.pictures]
        if not rows:
            return missing
        self.add("cpu", rows)
        return None

    def plain_loop(self):
        repeats = [programs.work(self.arguments, self.pictures) for _ in range(self.arguments.repeats)]
        found = {picture: sum(row.found for row in repeats[0][0] if row.picture == picture)
                 for picture in repeats[0][2]}
        return [Frame(picture, "plain loop, one CPU core", "", found[picture], len(repeats),
                      *spread([1000 * took[picture] for _, _, took in repeats])) for picture in found]

    def on_cuda(self, **measures):
        """Fills tables. `measures` is {table: function that measures its rows}."""
        missing = self.why_no_cuda(self.arguments.bench_viola_jones_cuda)
        if not missing:
            for table, measure in measures.items():
                self.add(table, measure(self.arguments, self.pictures))
        return missing

    def variants(self):
        return self.on_cuda(frames=programs.frames)

    def scale_times(self):
        return self.on_cuda(scales=programs.scale_times)

    def part_of_chip(self):
        return self.on_cuda(part_frames=programs.part_frames, part_scales=programs.part_scales)

    def choices(self):
        return self.on_cuda(choices=programs.choices)

    def sizes(self):
        # The pictures are made even without a GPU, so that one can copy them to another machine.
        pictures = inputs.of_sizes(self.arguments.inputs / "viola_jones", published.TABLE_1_SIZES)
        return self.on_cuda(sizes=lambda arguments, _: programs.frames_of_sizes(arguments, pictures))

    def devices(self):
        return self.on_cuda(devices=programs.devices)

    def mpi(self):
        missing = self.why_no_cuda(self.arguments.bench_viola_jones_mpi)
        if missing:
            return missing
        if not shutil.which(self.arguments.mpirun.split()[0]):
            return f"{self.arguments.mpirun} is not found"
        there = min(MOST_PROCESSES, measurement.gpus())
        self.add("mpi", [row for processes in range(1, there + 1)
                         for row in programs.mpi(self.arguments, self.pictures, processes)])
        return None
