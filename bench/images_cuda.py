#!/usr/bin/env python3
"""Measures the cost of an image in a folder besides decoding and the frame's stages, on one GPU.

    bench/images_cuda.py IMAGE... [--copies 16] [--old PROGRAM] [--rounds 3]

For each image, the script copies it several times into a folder in memory, and facepipe searches this folder without
video output, with one lane. The times come from the report: an input's time begins before the input is opened and ends
when it is done. The result shows the first image separately. The times of the later images, which have the size of an
earlier image, are medians of all rounds. If an older program is named, its detections must be equal.
"""
import argparse
import hashlib
import pathlib
import statistics
import sys
import tempfile

import measurement

FRAME_STAGES = ("preprocess", "inference", "nms")


def arguments():
    options = measurement.parser(__doc__)
    options.add_argument("images", nargs="+", type=pathlib.Path, metavar="IMAGE")
    options.add_argument("--copies", type=int, default=16)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--device", default="cuda", help="as facepipe's (default: cuda)")
    options.add_argument("--old", type=lambda text: pathlib.Path(text).resolve(), help="an older program")
    options.add_argument("--folder", default="/dev/shm", help="for the copies")
    return options.parse_args()


def fill(folder, image, copies):
    """Writes each copy into a separate file, so that the detections say which file they belong to."""
    data = image.read_bytes()
    folder.mkdir()
    for number in range(copies):
        (folder / f"{number:04}{image.suffix}").write_bytes(data)


def costs(report):
    """Returns the milliseconds of an input: in total, for decoding, and for its frame's stages."""
    stages = report["stage_ms"]
    return (1000 * report["wall_s"], stages["decode"]["p50"],
            sum(stages[stage]["p50"] for stage in FRAME_STAGES if stage in stages))


def once(given, program, folder):
    """Returns the reports of a run, and the hash of its detections."""
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        faces = pathlib.Path(made) / "faces.jsonl"
        _, reports = measurement.facepipe(argparse.Namespace(facepipe=program),
                                          [folder, "--device", given.device, "--lanes", "1", "--no-video",
                                           "--detections", faces])
        return reports, hashlib.sha256(faces.read_bytes()).hexdigest()


def row(name, first, later):
    """Returns a row with the medians of the later images, and the range of their costs besides decoding and the frame's
    stages."""
    wall, decoding, frame = (statistics.median(column) for column in zip(*later))
    beyond = sorted(one[0] - one[1] - one[2] for one in later)
    return (f"{name:<44}{statistics.median(first):>8.1f}{wall:>9.2f}{decoding:>9.2f}{frame:>8.2f}"
            f"{statistics.median(beyond):>10.2f}  {beyond[0]:.2f} to {beyond[-1]:.2f}\n")


def main():
    given = arguments()
    if given.copies < 2:
        sys.exit("--copies: the second image is what is measured")
    programs = {"": given.facepipe, **({"older program, ": given.old} if given.old else {})}
    body = f"{'':<44}{'first':>8}{'later':>9}{'decoding':>9}{'frame':>8}{'beyond':>10}  its range\n"
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        for number, image in enumerate(given.images):
            folder = pathlib.Path(scratch) / str(number)
            fill(folder, image, given.copies)
            first, later, found = {}, {}, set()
            for _ in range(given.rounds):
                for name, program in programs.items():
                    report, hashed = once(given, program, folder)
                    found.add(hashed)
                    first.setdefault(name, []).append(1000 * report[0]["wall_s"])
                    later.setdefault(name, []).extend(costs(one) for one in report[1:])
            if len(found) != 1:
                sys.exit(f"{image.name}: what they found differs")
            for name in programs:
                body += row(name + image.name, first[name], later[name])
    facts = {**measurement.engine_facts(report), "gpu": measurement.gpu(),
             "images": f"each {given.copies} times, {given.rounds} rounds; ms an image",
             "equal": "detections of all runs with an image have the same hash"}
    measurement.write_result(given, facts, body)


if __name__ == "__main__":
    main()
