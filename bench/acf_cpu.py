#!/usr/bin/env python3
"""Measures detectors of channel features on the CPU: the time from a 1080p picture in memory to its windows.

Picture a is the demo photo enlarged to 1920x1080. Picture b repeats the photo at its own size until it fills 1920x1080.
The script measures the project's face model and the models on the command line, whose files name their classes. The
smallest searched object has the model's own size, or --min-face. A time is the median of the repetitions, shown with
the shortest and the longest. The script needs OpenCV for Python: data/golden-requirements.txt.
"""
import json
import pathlib
import statistics
import tempfile

import cascade_pictures
import measurement

SIZE = (1920, 1080)


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_acf")
    options.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL",
                         help="beside data/acf_face.json, like one of data/acf-from-mat")
    options.add_argument("--photo", type=pathlib.Path, default=cascade_pictures.PHOTO)
    options.add_argument("--threads", type=int, default=2, help="default: 2")
    options.add_argument("--repetitions", type=int, default=15, help="default: 15")
    return options.parse_args()


def row(arguments, model, kind, pixels, least):
    with tempfile.NamedTemporaryFile() as file:
        file.write(pixels)
        file.flush()
        used = measurement.run([arguments.bench_acf, model, file.name, f"{SIZE[0]}x{SIZE[1]}", least, 0,
                                arguments.threads, arguments.repetitions + 1])
    lines = used.output.splitlines()
    times = [float(line.split()[0]) for line in lines[1:arguments.repetitions + 1]]  # the first is a warm-up
    scales, _, _, _, looked_at, _ = lines[arguments.repetitions + 1].split()  # "8 scales, 9 cells, 7 windows"
    passed = len(lines) - arguments.repetitions - 2
    return (f"{json.loads(model.read_text())['class']:12} {kind:7} {least or 'own':>8} {scales:6} "
            f"{looked_at:9} {passed:7}   {statistics.median(times):.1f} "
            f"({min(times):.1f} to {max(times):.1f})")


def main():
    arguments = arguments_given()
    face = measurement.REPOSITORY / "data" / "acf_face.json"
    of_kind = {kind: cascade_pictures.nv12(cascade_pictures.picture(kind, SIZE, arguments.photo, colors=True))
               for kind in "ab"}
    lines = [f"{'class':12} {'picture':7} {'min face':>8} {'scales':6} {'windows':>9} {'passed':>7}   ms"]
    for model, least in [(face, 0), (face, 20), *((other, 0) for other in arguments.models)]:
        for kind, pixels in of_kind.items():
            lines.append(row(arguments, model, kind, pixels, least))
            print(lines[-1], flush=True)
    facts = {"threads": arguments.threads, "work": "1920x1080 NV12 in memory to windows that passed"}
    measurement.write_result(arguments, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
