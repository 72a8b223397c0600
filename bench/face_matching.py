"""Compares the faces of two detections files (--detections F.jsonl) that belong to the same input."""
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
    """Holds the result of compare(): how well one file's faces with high scores match the other file's faces."""

    faces: int = 0
    matched: int = 0
    score_differences: list = field(default_factory=list)  # absolute differences of the scores of matched faces
    # for each matched face: the largest distance between its landmarks in both files, in pixels
    landmark_distances: list = field(default_factory=list)
    missing: list = field(default_factory=list)  # (frame, score, box)

    def share(self):
        return self.matched / self.faces if self.faces else 1.0


def read(lines):
    """Returns {(name of the file without folders, frame): faces}."""
    frames = {}
    for line in lines:
        frame = json.loads(line)
        frames[pathlib.PurePath(frame["file"]).name, frame["frame"]] = frame["faces"]
    return frames


def detect(arguments, clip, words):
    """Runs `facepipe run` on a clip, without video output. Returns the faces in the form that read() returns, and the
    report."""
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
    """Pairs each face, in descending order of scores, with the unpaired face of `others` that it overlaps most.

    Returns pairs (face, other). `other` is None if no unpaired face has an IoU of at least `least_iou`.
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
    """Compares the faces of `frames` whose scores exceed `score` with all faces of `others`.

    The run of `others` needs a threshold below `score`. With the same threshold, a face with a score of 0.3001 in
    `frames` and 0.2999 in `others` would count as missing. Raises ValueError if the files describe different frames.
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
