#!/usr/bin/env python3
"""Compares OpenCV's cuda::CascadeClassifier with facepipe's cascades on CUDA: times, windows, and their agreement.

    bench/opencv_cascade.py HAARCASCADES_CUDA --pictures FOLDER

HAARCASCADES_CUDA holds OpenCV's old files (PREFIX/share/opencv4/haarcascades_cuda of data/opencv-cuda PREFIX chain),
and FOLDER the pictures that bench/cascade_cuda.py --prepare writes. Both classifiers begin with grey levels in device
memory and end with ungrouped windows in device memory. OpenCV's time is measured on the host, because its call waits:
it is the median of 50 calls after 5 calls that don't count. facepipe's time is measured as in bench/cascade_cuda.py.
facepipe's windows are computed on the CPU: they are equal to those on CUDA, and to those of OpenCV's classifier on the
CPU (bench/cascade_cpu.py). OpenCV's CUDA code enlarges the window only by whole numbers: it truncates each factor to an
integer, and uses each integer once. The script counts the windows that are exactly equal, and the windows with an IoU
of at least 0.5.
"""
import pathlib
import statistics
import subprocess
import sys

import cascade_cuda
import cascade_pictures
import face_matching
import measurement

REPEATS, WARM_UP = 50, 5
PATIENCE_S = 20
IOU = 0.5


def arguments_given():
    options = measurement.parser(__doc__)
    for program in ("bench_opencv_cascade", "bench_cascade_cuda", "bench_cascade"):
        measurement.add_program(options, program)
    options.add_argument("old_files", type=pathlib.Path, metavar="HAARCASCADES_CUDA")
    options.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER", required=True)
    options.add_argument("--cascades", type=pathlib.Path, default=cascade_pictures.FOLDER,
                         help="OpenCV's new files (default: %(default)s)")
    return options.parse_args()


def windows_of(lines):
    """Returns (x1, y1, x2, y2) for each line "x y width height"."""
    numbers = ([int(word) for word in line.split()] for line in lines)
    return [(x, y, x + width, y + height) for x, y, width, height in numbers]


def timed_windows(program, words, times):
    """Runs bench_cascade or bench_opencv_cascade, which print `times` times and then windows. Returns both."""
    used = subprocess.run([str(word) for word in (program, *words)], capture_output=True, text=True, timeout=PATIENCE_S)
    if used.returncode != 0:
        sys.exit(f"{program} ended with {used.returncode}:\n{used.stderr}")
    lines = used.stdout.splitlines()
    return [float(line) for line in lines[:times]], windows_of(lines[times:])


def share_with(windows, others):
    """Returns the percentage of `windows` that have an IoU of at least 0.5 with one of the others."""
    if not windows:
        return 100.0
    return 100 * sum(any(face_matching.iou(window, other) >= IOU for other in others) for window in windows) / len(windows)


def theirs_or_none(given, cascade, words):
    """Returns OpenCV's milliseconds and windows, or None if its program doesn't end in time."""
    try:
        times, windows = timed_windows(given.bench_opencv_cascade, [given.old_files / cascade.name, *words,
                                                                    WARM_UP + REPEATS], WARM_UP + REPEATS)
    except subprocess.TimeoutExpired:
        return None
    return statistics.median(times[WARM_UP:]), windows


def row(given, case):
    name, least, factor, kind, (width, height) = case
    picture = given.pictures / cascade_cuda.file_name(kind, (width, height))
    cascade = given.cascades / f"haarcascade_{name}.xml"
    words = [picture, f"{width}x{height}", factor, least]
    found = theirs_or_none(given, cascade, words)
    used = measurement.run([given.bench_cascade_cuda, cascade, *words])
    ours_ms = float(cascade_pictures.LINE.search(used.output).group(2))
    _, ours = timed_windows(given.bench_cascade, [cascade, *words, 4, 1], 1)
    head = f"{name:20} {kind:7} {f'{width}x{height}':10} {factor:<6}"
    if found is None:
        return f"{head} {f'no end in {PATIENCE_S} s':>17} {ours_ms:8.3f} {len(ours):8}"
    theirs_ms, theirs = found
    return (f"{head} {theirs_ms:8.3f} {len(theirs):8} {ours_ms:8.3f} {len(ours):8} {len(set(theirs) & set(ours)):6}"
            f" {share_with(theirs, ours):9.1f} {share_with(ours, theirs):9.1f}")


def main():
    given = arguments_given()
    lines = [f"{'':46} {'OpenCV, CUDA':>17} {'facepipe':>17} {'the':>6} {'% of the':>9} {'% of':>9}",
             f"{'cascade':20} {'picture':7} {'size':10} {'factor':6} {'ms':>8} {'windows':>8} {'ms':>8} {'windows':>8}"
             f" {'same':>6} {'former':>9} {'latter':>9}"]
    for case in cascade_cuda.CASES:
        lines.append(row(given, case))
        print(lines[-1], flush=True)
    facts = {"gpu": measurement.gpu(), "work": "grey levels in device memory to windows there, none grouped",
             "agreement": f"windows that are the same in both; of each side's those that the other has at an IoU of {IOU}"}
    measurement.write_result(given, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
