#!/usr/bin/env python3
"""Compares the faces that the CPU finds in another precision with those that it finds in f32, on the same clips.

Recall is the share of the faces in f32 that are also found in the other precision. Precision is the share of the other
precision's faces that are also found in f32. Two faces match if their IoU is at least 0.5, and each face matches at
most one. The threshold is the same for both runs. So a face whose score is above it in only one run counts as missing
or as invented, as a user would see it. The script also measures bf16, whose results hardly differ from f32, to show how
many faces are that close to the threshold.
"""
import pathlib

import face_matching
import measurement

IOU = 0.5


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("clips", nargs="+", type=pathlib.Path, metavar="CLIP",
                         help="those of data/loop-clips, for one")
    options.add_argument("--precisions", default="i8,bf16", help="default: i8,bf16")
    options.add_argument("--score", type=float, default=0.5, help="default: 0.5")
    measurement.add_detector(options)
    return options.parse_args()


def detect(arguments, clip, precision):
    return face_matching.detect(
        arguments, clip, ["--score", str(arguments.score), "--device", "cpu", "--engine", "openvino",
                          "--precision", precision, *measurement.detector_words(arguments)])


def compare(frames, others, score):
    return face_matching.compare(frames, others, score=score, least_iou=IOU)


def row(name, recall, precision):
    return (f"{name:<24}{recall.faces:>8}{precision.faces:>8}{recall.share():>9.4f}"
            f"{precision.share():>11.4f}\n")


def main():
    arguments = arguments_given()
    precisions = arguments.precisions.split(",")
    body = f"{'':<24}{'f32':>8}{'faces':>8}{'recall':>9}{'precision':>11}\n"
    for clip in arguments.clips:
        reference, report = detect(arguments, clip, "f32")
        for precision in precisions:
            found, _ = detect(arguments, clip, precision)
            body += row(f"{clip.stem}, {precision}", compare(reference, found, arguments.score),
                        compare(found, reference, arguments.score))
    facts = {"engine": f"{report[0]['engine']} on {report[0]['device']}: {', '.join(precisions)} "
                       "beside f32",
             "model": measurement.engine_facts(report)["model"],
             "setting": f"score > {arguments.score}, IoU {IOU}"}
    if not arguments.name:
        arguments.name = f"precision_agreement_{report[0]['model']['kind']}"
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()
