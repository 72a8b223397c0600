#!/usr/bin/env python3
"""Collects candidates of a network on real pictures, for measurements of suppression.

The script runs facepipe with an overlap threshold of 1, so that suppression removes nothing. For each input it writes
the candidates of the frame that has the most of them as NAME.f32: rows of five little-endian floats, x1 y1 x2 y2 score.
Rows are in raster order by the stride-4 cell of a box's centre, as a detector's decoder gives them.
"""
import json
import pathlib
import struct
import tempfile

import measurement

STRIDE = 4


def arguments_given():
    options = measurement.parser(__doc__)
    measurement.add_engine(options)
    options.add_argument("inputs", nargs="+", help="videos, images, folders")
    options.add_argument("--score", default="0.02", help="candidates score more (default: 0.02)")
    options.add_argument("--to", type=pathlib.Path,
                         default=measurement.REPOSITORY / "data" / "generated" / "candidates",
                         help="folder (default: data/generated/candidates)")
    return options.parse_args()


def fullest_picture(arguments, source):
    """Returns the line of the detections file whose frame has the most candidates."""
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder) / "candidates.jsonl"
        measurement.facepipe(arguments, [source, "--no-video", "--detections", lines, "--iou", "1",
                                         "--score", arguments.score, "--engine", arguments.engine,
                                         "--precision", arguments.precision])
        with open(lines, encoding="utf-8") as text:
            return max(map(json.loads, text), key=lambda frame: len(frame["faces"]))


def raster_key(face):
    left, top, right, bottom = face["box"]
    return (top + bottom) / 2 // STRIDE, (left + right) / 2 // STRIDE


def main():
    arguments = arguments_given()
    arguments.to.mkdir(parents=True, exist_ok=True)
    for source in arguments.inputs:
        frame = fullest_picture(arguments, source)
        faces = sorted(frame["faces"], key=raster_key)
        target = arguments.to / f"{pathlib.Path(frame['file']).stem}.f32"
        target.write_bytes(b"".join(struct.pack("<5f", *face["box"], face["score"])
                                    for face in faces))
        print(f"{target}: {len(faces)} candidates of {frame['file']}, frame {frame['frame']}")


if __name__ == "__main__":
    main()
