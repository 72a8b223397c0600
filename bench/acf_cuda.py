#!/usr/bin/env python3
"""Measures detectors of channel features on CUDA: from a frame in device memory to candidates in device memory.

The pictures are those of acf_cpu.py (cascade_pictures.py) as NV12. The model is data/acf_face.json, or a model on the
command line, whose file names its class. bench_acf_cuda replays one CUDA graph and measures the time between two CUDA
events. The script shows the median and quartiles of 200 single replays, and the median time per replay of groups of 100
replays in a row. --prepare writes the pictures and needs OpenCV for Python. --pictures measures these pictures on a
machine without OpenCV.
"""
import json
import pathlib

import cascade_pictures
import measurement

SIZES = [(1920, 1080), (3840, 2160)]


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_acf_cuda")
    options.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL",
                         help="beside data/acf_face.json, like one of data/acf-from-mat")
    cascade_pictures.add_folders(options)
    return options.parse_args()


def file_name(kind, size):
    return f"{kind}_{size[0]}x{size[1]}.nv12"


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for kind in "ab":
            picture = cascade_pictures.picture(kind, size, colors=True)
            (folder / file_name(kind, size)).write_bytes(cascade_pictures.nv12(picture))


def cases(model):
    """Yields the least and the greatest wanted size of an object, and a name for this range."""
    window = json.loads(model.read_text())["window"]
    short, long = sorted((window["width"], window["height"]))
    return [(0, 0, "all"), (0, long, "one scale"), (short / 2, 0, "one up")]


def row(arguments, model, case, kind, size, folder):
    least, most, name = case
    used = measurement.run([arguments.bench_acf_cuda, model, folder / file_name(kind, size),
                            f"{size[0]}x{size[1]}", least, most])
    candidates, median, low, high, in_a_row = cascade_pictures.LINE.search(used.output).groups()
    return (f"{json.loads(model.read_text())['class']:12} {kind:7} {size[0]}x{size[1]:<6} {name:10} "
            f"{candidates:>10} {median} ({low} to {high})    {in_a_row}")


def main():
    arguments = arguments_given()
    if arguments.prepare:
        prepare(arguments.prepare)
        return
    face = measurement.REPOSITORY / "data" / "acf_face.json"
    lines = [f"{'class':12} {'picture':7} {'size':11} {'scales':10} candidates {'one, ms':27} in a row, ms"]
    with cascade_pictures.folder_of(arguments, prepare) as folder:
        for model in [face, *arguments.models]:
            for size in SIZES:
                for case in cases(model):
                    for kind in "ab":
                        lines.append(row(arguments, model, case, kind, size, folder))
                        print(lines[-1], flush=True)
    facts = {"gpu": measurement.gpu(), "work": "a frame in device memory to candidates of any score there"}
    measurement.write_result(arguments, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
