"""Runs all detectors of facepipe: on the CPU by the program itself, on the GPU by the measuring programs."""
import re
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

import frame_times
import measurement
from acf.tables import DetectorTime
from csv_tables import spread

CENTERFACE = measurement.REPOSITORY / "data" / "fetched" / "models" / "centerface.onnx"
FACE_MODEL = measurement.REPOSITORY / "data" / "acf_face.json"
LEAST_FACE = "20"  # for detectors that can enlarge the picture or begin with small windows
SCALE_FACTOR = "1.1"
CASCADES = ("frontalface_default", "frontalface_alt", "frontalface_alt2")
SINGLE = re.compile(r"single +([\d.]+) ms")


@dataclass
class Detector:
    name: str
    model: Path
    program: str  # the program that measures it on the GPU
    options: list = field(default_factory=list)  # facepipe's options, in addition to the model

    def cuda_command(self, arguments, picture):
        program, size = getattr(arguments, self.program), picture.shown_size()
        if not program.exists():
            sys.exit(f"{measurement.shown(program)} is not built")
        if self.program == "bench_detector_cuda":
            return [program, self.model, "--sizes", size]
        if self.program == "bench_cascade_cuda":
            return [program, self.model, picture.grey(), size, SCALE_FACTOR, LEAST_FACE]
        least = self.options[self.options.index("--min-face") + 1] if self.options else "0"
        return [program, self.model, picture.nv12(), size, least, "0"]


def known(arguments):
    """Returns the detectors whose models exist here, and {name: reason} for the others."""
    small = ["--min-face", LEAST_FACE]
    wanted = [Detector("CenterFace", CENTERFACE, "bench_detector_cuda"),
              Detector("YuNet", arguments.yunet, "bench_detector_cuda"),
              *(Detector(f"cascade {name}", arguments.cascades / f"haarcascade_{name}.xml", "bench_cascade_cuda",
                         small) for name in CASCADES),
              Detector("ACF, own size", FACE_MODEL, "bench_acf_cuda"),
              Detector("ACF, faces from 20", FACE_MODEL, "bench_acf_cuda", small)]
    missing = {one.name: "no model was named (--yunet)" if one.model is None
               else f"{measurement.shown(one.model)} is not here"
               for one in wanted if one.model is None or not one.model.exists()}
    return [one for one in wanted if one.name not in missing], missing


def on_cpu(arguments, detector, picture, frames, folder):
    """Returns the times of preprocessing and inference of a frame, from facepipe's latency file, and the report."""
    latency = folder / "latency.csv"
    medians = []
    for _ in range(arguments.repeats):
        _, report = measurement.facepipe(arguments, [
            picture.clip(frames), "--no-video", "--latency", latency, "--overwrite", "--device", "cpu", "--model",
            detector.model, *detector.options])
        with open(latency, encoding="utf-8") as lines:
            later = frame_times.read(lines, 1)  # the first frame waits for the program to start
        medians.append(statistics.median(sum(end - begin for begin, end in (
            frame.stages["preprocess"], frame.stages["inference"])) for frame in later))
    engine = f"{report[0]['engine']}, {report[0]['precision']}"
    return DetectorTime(detector.name, picture.name, engine, arguments.repeats, *spread(medians)), report[0]


def on_cuda(arguments, detector, picture):
    """Replays a graph. Returns the median of 200 replays for each repeat."""
    medians = []
    for _ in range(arguments.repeats):
        output = measurement.run(detector.cuda_command(arguments, picture)).output
        medians.append(float(SINGLE.search(output)[1]))
    return DetectorTime(detector.name, picture.name, "cuda", arguments.repeats, *spread(medians))
