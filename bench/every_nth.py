#!/usr/bin/env python3
"""Measures how many faces --every N loses: compares with a run that searches each frame of the same clips.

The run that searches each frame is the reference. Recall is the share of the reference's faces that the run with
--every also finds. Precision is the share of the other run's faces that the reference has. Two faces match if their IoU
is at least 0.5, and each face matches at most one. Only faces with scores above the threshold count. The threshold is
the same for both runs. So a face whose score is above it in only one run counts as missing or as invented, as a user
would see it. "between" counts only the frames that the network didn't search, according to the latency file.
"""
import csv
import pathlib
import tempfile
from dataclasses import dataclass

import face_matching
import measurement

IOU = 0.5


@dataclass
class Run:
    frames: dict  # {(file, frame): faces}
    searched: set  # keys of `frames` whose frames the network searched
    report: dict


@dataclass
class Counts:
    """Counts faces of a run with --every, compared with the run that searches all frames."""

    expected: int = 0
    found_again: int = 0
    faces: int = 0
    right: int = 0

    def add(self, other):
        self.expected += other.expected
        self.found_again += other.found_again
        self.faces += other.faces
        self.right += other.right

    def shares(self):
        recall = self.found_again / self.expected if self.expected else 1.0
        precision = self.right / self.faces if self.faces else 1.0
        return f"{recall:>8.4f}{precision:>10.4f}"


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_engine(options)
    options.add_argument("clips", nargs="+", type=pathlib.Path, metavar="CLIP",
                         help="those of data/loop-clips, for one")
    options.add_argument("--every", default="2", help="numbers after commas (default: 2)")
    options.add_argument("--score", type=float, default=0.5, help="default: 0.5")
    return options.parse_args()


def run(arguments, clip, every):
    with tempfile.TemporaryDirectory() as folder:
        latency = pathlib.Path(folder) / "latency.csv"
        frames, report = face_matching.detect(
            arguments, clip, ["--latency", latency, "--score", str(arguments.score), "--every", str(every),
                              "--device", "cpu", "--engine", arguments.engine,
                              "--precision", arguments.precision])
        with open(latency, encoding="utf-8") as rows:
            searched = {(clip.name, int(row["frame"])) for row in csv.DictReader(rows)
                        if row["inference_begin_ms"]}
        return Run(frames, searched, report)


def count(reference, other, keys, score):
    reference, other = ({key: frames[key] for key in keys} for frames in (reference, other))
    again = face_matching.compare(reference, other, score=score, least_iou=IOU)
    right = face_matching.compare(other, reference, score=score, least_iou=IOU)
    return Counts(again.faces, again.matched, right.faces, right.matched)


def row(name, every, frames, searched, all_frames, between):
    return (f"{name:<14}{every:>3}{frames:>8}{searched:>10}{all_frames.expected:>8}"
            f"{all_frames.faces:>8}{all_frames.shares()}{between.shares()}\n")


def measure(arguments):
    """Returns the table's text, and a report."""
    body = (f"{'':<33}{'':>2}{'faces of':>16}{'all frames':>18}{'between':>18}\n"
            f"{'clip':<14}{'N':>3}{'frames':>8}{'searched':>10}{'all':>8}{'N-th':>8}"
            f"{'recall':>8}{'precision':>10}{'recall':>8}{'precision':>10}\n")
    sums = {}
    for clip in arguments.clips:
        reference = run(arguments, clip, 1)
        for every in map(int, arguments.every.split(",")):
            other = run(arguments, clip, every)
            everything = count(reference.frames, other.frames, other.frames.keys(), arguments.score)
            between = count(reference.frames, other.frames, other.frames.keys() - other.searched,
                            arguments.score)
            body += row(clip.stem, every, len(other.frames), len(other.searched), everything, between)
            total = sums.setdefault(every, [0, 0, Counts(), Counts()])
            total[0] += len(other.frames)
            total[1] += len(other.searched)
            total[2].add(everything)
            total[3].add(between)
    for every, (frames, searched, everything, between) in sums.items():
        body += row("all", every, frames, searched, everything, between)
    return body, reference.report


def main():
    arguments = arguments_given()
    body, report = measure(arguments)
    facts = {**measurement.engine_facts(report), "setting": f"score > {arguments.score}, IoU {IOU}"}
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()
