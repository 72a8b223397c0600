#!/usr/bin/env python3
"""Measures Viola-Jones cascades on CUDA: from a frame in device memory to candidates in device memory.

The pictures are those of cascade_cpu.py (cascade_pictures.py), as frames of grey levels of full range.
bench_cascade_cuda replays one CUDA graph and measures the time between two CUDA events. The script shows the median and
quartiles of 200 single replays, and the median time per replay of groups of 100 replays in a row. --prepare writes the
pictures and needs OpenCV for Python. --pictures measures these pictures on a machine without OpenCV.
"""
import cascade_pictures
import measurement

# cascade, size of the smallest searched face, factor, picture, size of the picture
CASES = [("frontalface_default", 24, 1.1, "a", (1920, 1080)),
         ("frontalface_default", 24, 1.1, "b", (1920, 1080)),
         ("frontalface_default", 24, 1.2, "b", (1920, 1080)),
         ("frontalface_default", 24, 1.1, "b", (3840, 2160)),
         ("frontalface_default", 24, 1.2, "b", (3840, 2160)),
         ("frontalface_alt", 20, 1.1, "b", (1920, 1080)),
         ("frontalface_alt2", 20, 1.1, "b", (1920, 1080)),
         ("frontalface_alt", 20, 1.2, "b", (640, 480))]


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_program(options, "bench_cascade_cuda")
    cascade_pictures.add_folders(options)
    return options.parse_args()


def file_name(kind, size):
    return f"{kind}_{size[0]}x{size[1]}.grey"


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for kind, size in {(case[3], case[4]) for case in CASES}:
        (folder / file_name(kind, size)).write_bytes(
            cascade_pictures.picture(kind, size).tobytes())


def row(arguments, case, folder):
    name, least, factor, kind, size = case
    used = measurement.run([arguments.bench_cascade_cuda, cascade_pictures.cascade(name),
                            folder / file_name(kind, size), f"{size[0]}x{size[1]}", factor, least])
    candidates, median, low, high, in_a_row = cascade_pictures.LINE.search(used.output).groups()
    return (f"{name:20} {kind:7} {size[0]}x{size[1]:<6} {factor:<6} {candidates:>10} "
            f"{median} ({low} to {high})    {in_a_row}")


def main():
    arguments = arguments_given()
    if arguments.prepare:
        prepare(arguments.prepare)
        return
    lines = [f"{'cascade':20} {'picture':7} {'size':11} {'factor':6} candidates "
             f"{'one, ms':27} in a row, ms"]
    with cascade_pictures.folder_of(arguments, prepare) as folder:
        for case in CASES:
            lines.append(row(arguments, case, folder))
            print(lines[-1], flush=True)
    facts = {"gpu": measurement.gpu(), "work": "a frame in device memory to candidates there"}
    measurement.write_result(arguments, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
