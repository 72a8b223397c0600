#!/usr/bin/env python3
"""Compares Viola-Jones cascades on the CPU with OpenCV's CascadeClassifier: the times, and whether the windows are
equal.

Picture a is the demo photo enlarged to 1920x1080. Picture b repeats the photo at its own size until it fills 1920x1080.
facepipe and OpenCV get the same grey bytes in memory, and search faces of the window's size and larger, with
minNeighbors 0. They take turns. A time is the median of the repetitions, shown with the shortest and the longest. It is
an error if the windows differ. The script needs OpenCV 4 for Python: data/golden-requirements.txt (OpenCV 5 has no
CascadeClassifier).
"""
import pathlib
import statistics
import sys
import tempfile
import time

import cv2
import numpy as np

import cascade_pictures
import measurement

SIZE = (1920, 1080)
CASES = [("frontalface_default", 24, 1.1, "a"), ("frontalface_default", 24, 1.1, "b"),
         ("frontalface_default", 24, 1.2, "b"), ("frontalface_alt", 20, 1.1, "b"),
         ("frontalface_alt2", 20, 1.1, "b")]


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_cascade")
    options.add_argument("--photo", type=pathlib.Path, default=cascade_pictures.PHOTO)
    options.add_argument("--threads", type=int, default=2, help="of both (default: 2)")
    options.add_argument("--repetitions", type=int, default=7, help="default: 7")
    return options.parse_args()


def ours(arguments, cascade, picture, factor, least):
    """Runs facepipe's detector twice. Returns the milliseconds of the second run, and the windows."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(picture.tobytes())
        file.flush()
        used = measurement.run([arguments.bench_cascade, cascade, file.name, f"{SIZE[0]}x{SIZE[1]}",
                                factor, least, arguments.threads, 2])
    lines = used.output.splitlines()
    return float(lines[1]), sorted(tuple(int(float(n)) for n in line.split()) for line in lines[2:])


def theirs(classifier, picture, factor, least):
    begin = time.perf_counter()
    found = classifier.detectMultiScale(picture, factor, 0, minSize=(least, least))
    took = (time.perf_counter() - begin) * 1e3
    return took, sorted(tuple(int(n) for n in box) for box in np.array(found).reshape(-1, 4))


def shown(times):
    return f"{statistics.median(times):.0f} ({min(times):.0f} to {max(times):.0f})"


def row(arguments, case, picture):
    name, least, factor, kind = case
    file = cascade_pictures.cascade(name)
    classifier = cv2.CascadeClassifier(str(file))
    mine, opencvs = [], []
    for _ in range(arguments.repetitions):
        took, windows = ours(arguments, file, picture, factor, least)
        mine.append(took)
        took, expected = theirs(classifier, picture, factor, least)
        opencvs.append(took)
        if windows != expected:
            sys.exit(f"{name}, picture {kind}, {factor}: other windows than OpenCV's")
    times = statistics.median(opencvs) / statistics.median(mine)
    return (f"{name:20} {kind:7} {factor:<6} {len(windows):7} {shown(mine):24} {shown(opencvs):24}"
            f" {times:.1f}")


def main():
    arguments = arguments_given()
    cv2.setNumThreads(arguments.threads)
    of_kind = {kind: cascade_pictures.picture(kind, SIZE, arguments.photo) for kind in "ab"}
    lines = [f"{'cascade':20} {'picture':7} {'factor':6} {'windows':7} {'facepipe, ms':24} "
             f"{'OpenCV, ms':24} times as fast"]
    for case in CASES:
        lines.append(row(arguments, case, of_kind[case[3]]))
        print(lines[-1], flush=True)
    facts = {"threads": arguments.threads, "peer": f"OpenCV {cv2.__version__}, CascadeClassifier",
             "work": "1920x1080 grey levels in memory to windows"}
    measurement.write_result(arguments, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
