"""Compares two detections files (--detections F.jsonl) of the same input."""
import json
import math
import pathlib
import tempfile
from dataclasses import dataclass, field

import measurement

SCORE = 0.3
IOU = 0.9


@dataclass
class Agreement:
    """Compares one file's faces with scores above a threshold with the other file's faces."""

    faces: int = 0
    matched: int = 0
    score_differences: list = field(default_factory=list)  # absolute, of matched faces
    landmark_distances: list = field(default_factory=list)  # the largest distance in each face, in pixels
    missing: list = field(default_factory=list)  # (frame, score, box)

    def share(self):
        return self.matched / self.faces if self.faces else 1.0


def read(lines):
    """Returns {(file's name without folders, frame): faces}."""
    frames = {}
    for line in lines:
        frame = json.loads(line)
        frames[pathlib.PurePath(frame["file"]).name, frame["frame"]] = frame["faces"]
    return frames


def detect(arguments, clip, words):
    """Runs `facepipe run` on a clip without video. Returns the faces, like read(), and the report."""
    with tempfile.TemporaryDirectory() as folder:
        faces = pathlib.Path(folder) / "faces.jsonl"
        _, report = measurement.facepipe(arguments, [clip, "--no-video", "--detections", faces, *words])
        with open(faces, encoding="utf-8") as lines:
            return read(lines), report


def area(box):
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def iou(a, b):
    common = area([max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])])
    union = area(a) + area(b) - common
    return common / union if union > 0 else 0.0


def pairs(faces, others, least_iou=IOU):
    """Finds for each face, best score first, the free face that it overlaps most.

    Returns pairs (face, other). `other` is None if no free face overlaps by that much.
    """
    free = list(others)
    found = []
    for face in sorted(faces, key=lambda face: -face["score"]):
        best = max(free, key=lambda other: iou(face["box"], other["box"]), default=None)
        if best is not None and iou(face["box"], best["box"]) >= least_iou:
            free = [other for other in free if other is not best]
            found.append((face, best))
        else:
            found.append((face, None))
    return found


def landmark_distance(face, other):
    return max((math.dist(a, b) for a, b in zip(face["landmarks"], other["landmarks"])), default=0.0)


def compare(frames, others, score=SCORE, least_iou=IOU):
    """Compares the faces of `frames` above a score with `others`, in which a lower score suffices.

    So the run of `others` needs a lower threshold. With the same one, a face with a score of 0.3001 here and 0.2999
    there would count as missing. Raises ValueError if the files describe different frames.
    """
    if frames.keys() != others.keys():
        first = sorted(frames.keys() ^ others.keys())[0]
        raise ValueError(f"frame {first} is in one file alone")
    agreement = Agreement()
    for key, faces in frames.items():
        for face, other in pairs([face for face in faces if face["score"] > score], others[key],
                                 least_iou):
            agreement.faces += 1
            if other is None:
                agreement.missing.append((*key, face["score"], face["box"]))
                continue
            agreement.matched += 1
            agreement.score_differences.append(abs(face["score"] - other["score"]))
            agreement.landmark_distances.append(landmark_distance(face, other))
    return agreement
