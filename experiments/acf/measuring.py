"""Measures channel features: options, and a method for each part."""
import pathlib

import measurement
import wider
from acf import accuracy, coarse, detectors, inputs, programs, published, tables
from experiment import Experiment, why_not_built

PARTS = ("acf-cuda", "acf-part-cuda", "acf-npp", "detectors-cuda", "acf-cpu", "detectors-cpu", "acf-accuracy",
         "coarse-accuracy")
NEEDED = {"acf-cuda": "bench_acf_variants", "acf-part-cuda": "bench_acf_variants", "acf-npp": "bench_acf_npp",
          "acf-cpu": "bench_acf", "detectors-cpu": "facepipe", "acf-accuracy": "facepipe"}
NO_PEDESTRIANS = "no pedestrian model was named (--acf-inria; data/acf-from-mat makes it): faces alone"


def add_options(options):
    options.add_argument("--acf-inria", type=pathlib.Path, metavar="MODEL",
                         help="the toolbox's pedestrians, as data/acf-from-mat makes them (default: faces alone)")
    options.add_argument("--acf-coarse", type=pathlib.Path, metavar="MODEL",
                         help="a coarse detector of faces, as experiments/training/train-acf --coarse makes it "
                              "(default: left out)")
    options.add_argument("--yunet", type=pathlib.Path, metavar="MODEL", help="YuNet's ONNX (default: left out)")
    options.add_argument("--cascades", type=pathlib.Path, metavar="FOLDER",
                         default=pathlib.Path("/usr/share/opencv4/haarcascades"), help="default: %(default)s")
    options.add_argument("--trees", default="1,2,4,8,16,32,64,128,256,512", metavar="N,N,...",
                         help="the hybrids' first trees (default: %(default)s)")
    for program in ("bench_acf", "bench_acf_variants", "bench_acf_npp", "bench_detector_cuda", "bench_cascade_cuda",
                    "bench_acf_cuda"):
        measurement.add_program(options, program)


def derive_defaults(arguments):
    """Sets defaults that depend on other options, and makes paths absolute, because programs run in other folders."""
    arguments.cpu_calls = 1 if arguments.quick else 7
    if arguments.quick:
        arguments.repeats = min(arguments.repeats, 2)
    for name in ("acf_inria", "acf_coarse", "yunet", "cascades"):
        if getattr(arguments, name):
            setattr(arguments, name, getattr(arguments, name).resolve())


class Measuring(Experiment):
    TABLES = tables.TABLES

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pictures = {}
        self.models = [detectors.FACE_MODEL]
        if self.arguments.acf_inria:
            self.models.append(self.arguments.acf_inria)

    def repeats(self, part):
        return 1 if part.endswith("accuracy") else super().repeats(part)

    def prepare(self, parts):
        self.pictures = inputs.pictures(self.arguments, self.arguments.inputs / "acf")
        self.facts["inputs"] = {name: picture.facts() for name, picture in self.pictures.items()}
        self.note("pedestrians", [] if self.arguments.acf_inria else [NO_PEDESTRIANS])

    def why_not(self, part):
        needed = [getattr(self.arguments, NEEDED[part])] if part in NEEDED else []
        return self.why_no_cuda(*needed) if part.endswith(("cuda", "npp")) else why_not_built(*needed)

    def on_cuda(self, part, table, cases, *options):
        missing = self.why_not(part)
        if not missing:
            self.add(table, [row for case in cases for row in programs.on_cuda(self.arguments, case, *options)])
        return missing

    def acf_cuda(self):
        return self.on_cuda("acf-cuda", "cuda", programs.cases(self.models, self.pictures))

    def acf_part_cuda(self):
        one_scale = [case for case in programs.cases(self.models, self.pictures) if case.scales == "one"]
        return self.on_cuda("acf-part-cuda", "part", one_scale, "--multiprocessors", published.PART)

    def acf_npp(self):
        missing = self.why_not("acf-npp")
        if not missing:
            self.add("npp", [row for picture in self.pictures.values()
                             for row in programs.by_npp(self.arguments, picture)])
        return missing

    def acf_cpu(self):
        missing = self.why_not("acf-cpu")
        if not missing:
            threads = sorted({1, measurement.cores()})
            self.add("cpu", [row for case in programs.cases(self.models, self.pictures) for count in threads
                             for row in programs.on_cpu(self.arguments, case, count)])
        return missing

    def some_detectors(self, part, measure):
        """Returns rows of the detectors that can be measured, and notes why the others can't. Returns None if there are
        no rows."""
        wanted, missing = detectors.known(self.arguments)
        rows, failures = [], [f"{name}: {why}" for name, why in missing.items()]
        for detector in wanted:
            try:
                rows.append(measure(detector))
            except SystemExit as failure:  # the other results are still useful
                failures.append(f"{detector.name}: {failure}")
        self.note(f"{part}, in part", failures if rows else [])
        if self.report:
            self.report = {**self.report, "engine": "each detector's", "precision": "as its row tells"}
        return rows, "; ".join(failures) if not rows else None

    def detectors_cuda(self):
        missing = self.why_not("detectors-cuda")
        if missing:
            return missing
        rows, missing = self.some_detectors("detectors-cuda", lambda detector: detectors.on_cuda(
            self.arguments, detector, self.pictures["crowd"]))
        self.add("detectors_cuda", rows)
        return missing

    def detectors_cpu(self):
        missing = self.why_not("detectors-cpu")
        if missing:
            return missing
        frames = inputs.QUICK_CLIP_FRAMES if self.arguments.quick else inputs.CLIP_FRAMES

        def measure(detector):
            row, self.report = detectors.on_cpu(self.arguments, detector, self.pictures["crowd"], frames, self.folder)
            return row

        rows, missing = self.some_detectors("detectors-cpu", measure)
        self.add("detectors_cpu", rows)
        return missing

    def acf_accuracy(self):
        missing = self.why_not("acf-accuracy") or wider.why_not(self.arguments)
        if missing:
            return missing
        points = []

        def measure(detector):
            row, curve, self.report = accuracy.measure(self.arguments, detector, self.folder)
            points.extend(curve)
            return row

        rows, missing = self.some_detectors("acf-accuracy", measure)
        self.add("accuracy", rows)
        self.add("curves", points)
        return missing

    def coarse_accuracy(self):
        missing = wider.why_not(self.arguments) or coarse.why_not(self.arguments)
        if not missing:
            self.report = None
            self.add("coarse", coarse.measure(self.arguments, detectors.FACE_MODEL))
        return missing
