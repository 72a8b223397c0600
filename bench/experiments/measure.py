#!/usr/bin/env python3
"""Repeats the experiments of Oro et al. on this machine: writes tables as CSV, and facts.json.

Needs our programs, FFmpeg where clips are still to be made, and Python's standard library; for the
accuracy numpy and scipy, too. draw.py makes figures and the report of what this writes, here (--draw) or on
another machine. A part that can't be measured here is left out, and the reason kept.
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))  # bench/

import accuracy
import candidates
import draw
import facts
import inputs
import measurement
import pipeline
import programs
import rules
import tables

PARTS = ("inputs", "nms-cuda", "pipeline", "nms-cpu", "differences", "accuracy")
SIZES = (200, 1027, 2895)  # of Table 5


def arguments_given(words=None):
    generated = measurement.REPOSITORY / "data" / "generated"
    options = measurement.parser(__doc__)
    options.add_argument("--to", type=pathlib.Path, metavar="FOLDER",
                         help="for the tables (default: results in the inputs' folder)")
    options.add_argument("--inputs", type=pathlib.Path, metavar="FOLDER",
                         help="clips made before, or to be made (default: data/generated/experiments)")
    options.add_argument("--crowd-run", type=pathlib.Path, metavar="CLIP",
                         help="crowd_run, as data/crowd-run makes it (default: a stand-in)")
    options.add_argument("--group", type=pathlib.Path, metavar="PHOTO",
                         help="a group photo (default: a stand-in)")
    options.add_argument("--crowd-score", default=inputs.CROWD_SCORE, help="default: %(default)s")
    options.add_argument("--group-score", default=inputs.GROUP_SCORE, help="default: %(default)s")
    options.add_argument("--wider", type=pathlib.Path, metavar="FOLDER",
                         help="WIDER FACE: images/EVENT/IMAGE.jpg, and wider_*_val.mat or truth.json "
                              "(bench/wider_truth.py) (default: none)")
    options.add_argument("--device", default="auto", help="as facepipe's (default: auto)")
    measurement.add_program(options, "bench_nms")
    measurement.add_program(options, "bench_nms_cuda")
    options.add_argument("--repeats", type=int, default=3, help="default: 3")
    options.add_argument("--replays", type=int, default=50,
                         help="calls timed on the GPU, of which a repeat's time is the median (default: 50)")
    options.add_argument("--cpu-time", default="0.01",
                         help="seconds a repeat on the CPU takes or more (default: %(default)s)")
    options.add_argument("--frames", type=int,
                         help="of crowd and mosaic (default: on the CPU 50, else all)")
    options.add_argument("--only", default=",".join(PARTS), help="parts (default: %(default)s)")
    options.add_argument("--draw", action="store_true", help="figures and report, too (needs matplotlib)")
    options.add_argument("--quick", action="store_true", help="small inputs, on the CPU, for tests")
    arguments = options.parse_args(words)
    arguments.only = arguments.only.split(",")
    unknown = set(arguments.only) - set(PARTS)
    if unknown:
        options.error(f"--only: not known: {', '.join(sorted(unknown))}")
    return settled(arguments, generated)


def settled(arguments, generated):
    """Options whose defaults depend on others; facepipe by its whole path."""
    arguments.facepipe = pathlib.Path(arguments.facepipe).resolve()
    if arguments.quick:
        arguments.device, arguments.cpu_time = "cpu", "0.001"
    name = "experiments-quick" if arguments.quick else "experiments"
    arguments.inputs = (arguments.inputs or generated / name).resolve()
    arguments.to = arguments.to or arguments.inputs / "results"
    arguments.cuda = facts.has_gpu(arguments)
    if arguments.frames is None and not arguments.cuda:
        arguments.frames = 50
    return arguments


class Measuring:
    """One run: its inputs, what it has found so far, and what it couldn't."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.facts = facts.read(arguments.to)
        self.sets = {}
        self.report = None
        self.inputs = {}

    def find_candidates(self):
        for source in self.inputs.values():
            print(f"Detecting in {source.file.name}", file=sys.stderr)
            self.sets[source.name], self.report = candidates.of_input(self.arguments, source, self.folder)
            counts = [len(one.faces) for one in self.sets[source.name]]
            median, fewest, most = tables.spread(counts)
            self.facts["inputs"][source.name] = {
                **source.facts(), "size": self.report["size"], "frames": len(counts),
                "candidates": [fewest, median, most]}
            lost = self.report["candidates"] + self.report["candidates_ignored"] - sum(counts)
            self.note(f"candidates of {source.name}, in part",
                      [f"{lost} more were found than a picture had room for"] if lost else [])

    def part(self, name, measure):
        """Runs one part; why it ran not, or failed, is kept."""
        print(f"Measuring {name}", file=sys.stderr)
        try:
            missing = measure()
        except SystemExit as failure:  # a program that failed; what it told is the reason
            missing = str(failure).strip()
        if missing:
            self.facts["missing"][name] = missing
            self.facts["parts"].pop(name, None)
        else:
            self.facts["missing"].pop(name, None)
            self.facts["parts"][name] = facts.of_part(self.arguments, name, self.report)
        facts.write(self.arguments.to, self.facts)

    def add(self, table, rows, replaces):
        """Rows of a part take the place of those that it had written before."""
        kept = [row for row in tables.read(self.arguments.to, table) if not replaces(row)]
        tables.write(self.arguments.to, table, kept + rows)

    def exact_sizes(self):
        """The last picture's best candidates, as many as published; as many as there are, if fewer."""
        last = self.sets["growing"][-1]
        return [last.best(size, "sizes") for size in SIZES if size <= len(last.faces)] or [
            last.best(len(last.faces), "sizes")]

    def nonempty(self, name):
        return [one for one in self.sets[name] if one.faces]

    def some(self, name):
        """At most a hundred of them, evenly: enough of what takes long."""
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
        if not self.arguments.bench_nms_cuda.exists():
            return f"{measurement.shown(self.arguments.bench_nms_cuda)} is not built"
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
            except SystemExit as failure:  # the others are worth having, all the same
                failures.append(f"{table}: {failure}")
            self.add(table, rows[table], lambda row: row.who.endswith("CUDA"))
        return "; ".join(failures) if len(failures) == len(steps) else self.note("nms-cuda, in part", failures)

    def note(self, name, failures):
        """What of a part, which otherwise succeeded, did not."""
        self.facts["missing"].pop(name, None)
        if failures:
            self.facts["missing"][name] = "; ".join(failures)

    def pipeline(self):
        rows, shares = [], []
        for name in ("crowd", "mosaic"):
            times, parts, self.report = pipeline.measure(self.arguments, self.inputs[name], self.folder)
            rows += times
            shares += parts
        self.add("pipeline", rows, lambda row: True)
        self.add("share", shares, lambda row: True)

    def differences(self):
        rows = []
        for name in ("crowd", "mosaic", "growing"):
            for one in self.some(name) if name == "mosaic" else self.nonempty(name):
                boxes = one.boxes()
                rows.append(tables.Differences(
                    name, one.index, len(boxes), *rules.compare(boxes, rules.iou_above(candidates.OVERLAP)),
                    *rules.compare(boxes, rules.published(candidates.OVERLAP))))
        self.add("differences", rows, lambda row: True)

    def accuracy(self):
        missing = accuracy.why_not(self.arguments)
        if not missing:
            rows, self.report = accuracy.measure(self.arguments, self.folder)
            self.add("accuracy", rows, lambda row: True)
        return missing


def needs_candidates(arguments):
    wanted = {"nms-cpu", "differences", *(["nms-cuda"] if arguments.cuda else [])}
    return bool(wanted & set(arguments.only))


def main():
    arguments = arguments_given()
    arguments.to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        measuring = Measuring(arguments, pathlib.Path(folder))
        if arguments.only != ["accuracy"]:
            measuring.inputs = inputs.make(arguments)
        if needs_candidates(arguments):
            measuring.find_candidates()
        for name in PARTS[1:]:
            if name in arguments.only:
                measuring.part(name, getattr(measuring, name.replace("-", "_")))
    print(f"Tables: {arguments.to}")
    if arguments.draw:
        draw.draw(arguments.to, arguments.to)


if __name__ == "__main__":
    main()
