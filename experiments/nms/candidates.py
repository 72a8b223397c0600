"""Collects real candidates: the detections of the pipeline in each frame before suppression."""
import json
import struct
from dataclasses import dataclass

import measurement
from nms import inputs
from nms_candidates import raster_key

OVERLAP = 0.3  # facepipe's default; the papers don't state theirs


@dataclass
class Set:
    """The candidates of one frame."""

    input: str
    index: int
    faces: list  # in rank order, each as in a file of detections: box, score

    def name(self):
        return f"{self.input} {self.index}"

    def boxes(self):
        return [face["box"] for face in self.faces]

    def best(self, count, name):
        """Returns the candidates with the highest scores, as if the score threshold were higher."""
        return Set(name, count, self.faces[:count])


def of_input(arguments, source, folder):
    """Returns a Set for each frame of an Input."""
    lines = folder / f"{source.name}.jsonl"
    limit = inputs.limit(arguments) if source.name != "growing" else []
    _, report = measurement.facepipe(
        arguments, [source.file, "--no-video", "--detections", lines, "--iou", "1", "--score", source.score,
                    "--device", arguments.device, *limit])
    sets = []
    with open(lines, encoding="utf-8") as text:
        for line in text:
            frame = json.loads(line)
            sets.append(Set(source.name, frame["frame"], frame["faces"]))
    lines.unlink()  # the file has hundreds of megabytes
    return sets, report[0]


def write_files(sets, folder):
    """Returns {name: file}. A file has five floats for each candidate, in raster order, like a detector's decoder."""
    files = {}
    for one in sets:
        file = folder / f"{one.name().replace(' ', '-')}.f32"
        file.write_bytes(b"".join(struct.pack("<5f", *face["box"], face["score"])
                                  for face in sorted(one.faces, key=raster_key)))
        files[one.name()] = file
    return files
