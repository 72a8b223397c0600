#!/usr/bin/env python3
"""Measures the average precision of facepipe on WIDER FACE by the official protocol.

The script runs facepipe on a folder of validation images (all of them or some, in the data set's folders:
EVENT/IMAGE.jpg). It compares the detections with the official ground truth:

 * A detection and a face match if their IoU is at least 0.5. The sides of a box are x2 - x1 + 1 and y2 - y1 + 1.
 * The detections are judged by falling score. Each one takes the face that it overlaps most. If that face is already
   taken, the detection is a false alarm. If that face isn't in the setting (easy, medium, hard), the detection doesn't
   count.
 * Scores are scaled to 0..1 over all images. Precision and recall are taken at 1,000 thresholds.
 * AP is the area below the curve, after precision was made to fall monotonically.

The script needs numpy, and scipy to read the ground truth, unless wider_truth.py has stored it as truth.json.
"""
import json
import pathlib
import shutil
import sys
import tempfile
from dataclasses import dataclass

import numpy as np

import measurement

THRESHOLDS = 1 - np.arange(1, 1001) / 1000
SETTINGS = ("easy", "medium", "hard")


def read_detections(path):
    """Returns {"event/image.jpg": array of x1 y1 x2 y2 score}, with scores in descending order."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            frame = json.loads(line)
            rows = [[*face["box"], face["score"]] for face in frame["faces"]]
            boxes = np.array(rows, dtype=float).reshape(-1, 5)
            found[frame["file"]] = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    return found


def read_truth(folder, setting):
    """Returns {"event/image.jpg": (faces as x1 y1 x2 y2, whether the setting counts each face)}."""
    stored = folder / "truth.json"
    if stored.exists():
        images = json.loads(stored.read_text(encoding="utf-8"))[setting]
        return {image: (np.array(faces, dtype=float).reshape(-1, 4), np.array(counts, dtype=bool))
                for image, (faces, counts) in images.items()}
    return read_official_truth(folder, setting)


def read_official_truth(folder, setting):
    from scipy.io import loadmat  # imported here, because users of truth.json don't need it
    everything = loadmat(folder / "wider_face_val.mat")
    counted = loadmat(folder / f"wider_{setting}_val.mat")["gt_list"]
    truth = {}
    for e, event in enumerate(everything["event_list"]):
        for i, image in enumerate(everything["file_list"][e][0]):
            faces = everything["face_bbx_list"][e][0][i][0].astype(float)
            faces[:, 2:] += faces[:, :2]
            in_setting = np.zeros(len(faces), dtype=bool)
            in_setting[counted[e][0][i][0].ravel().astype(int) - 1] = True
            truth[f"{event[0][0]}/{image[0][0]}.jpg"] = faces, in_setting
    return truth


def overlaps(boxes, faces):
    """Returns the IoU of each box with each face. Widths and heights are larger by a pixel, as in the protocol."""
    low = np.maximum(boxes[:, None, :2], faces[None, :, :2])
    high = np.minimum(boxes[:, None, 2:4], faces[None, :, 2:4])
    common = np.prod(np.maximum(high - low + 1, 0), axis=2)
    box_areas = np.prod(boxes[:, 2:4] - boxes[:, :2] + 1, axis=1)
    face_areas = np.prod(faces[:, 2:] - faces[:, :2] + 1, axis=1)
    return common / (box_areas[:, None] + face_areas[None, :] - common)


def judge(boxes, faces, in_setting):
    """Returns for each box whether it is the first that matches its face, and whether the box counts. Boxes are sorted
    by score."""
    hits = np.zeros(len(boxes), dtype=bool)
    counts = np.ones(len(boxes), dtype=bool)
    if len(boxes) == 0 or len(faces) == 0:
        return hits, counts
    iou = overlaps(boxes, faces)
    best = iou.argmax(axis=1)
    taken = np.zeros(len(faces), dtype=bool)
    for box, face in enumerate(best):
        if iou[box, face] < 0.5:
            continue
        if not in_setting[face]:
            counts[box] = False
        elif not taken[face]:
            hits[box] = taken[face] = True
    return hits, counts


def curve(detections, truth, scale):
    """Returns recall and precision at each threshold, and the number of faces that count."""
    hits_at = np.zeros(len(THRESHOLDS))
    counted_at = np.zeros(len(THRESHOLDS))
    total = 0
    for image, boxes in detections.items():
        faces, in_setting = truth[image]
        total += int(in_setting.sum())
        if len(faces) == 0:
            continue  # the official program leaves out such an image, including its false alarms
        hits, counts = judge(boxes, faces, in_setting)
        above = np.searchsorted(-scale(boxes[:, 4]), -THRESHOLDS, side="right")
        hits_at += np.concatenate([[0], np.cumsum(hits)])[above]
        counted_at += np.concatenate([[0], np.cumsum(counts)])[above]
    precision = np.divide(hits_at, counted_at, out=np.zeros_like(hits_at), where=counted_at > 0)
    return hits_at / max(total, 1), precision, total


def area_below(recall, precision):
    recall = np.concatenate([[0], recall, [1]])
    precision = np.concatenate([[0], precision, [0]])
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * envelope[1:]))


def score_scale(detections):
    scores = np.concatenate([boxes[:, 4] for boxes in detections.values()])
    if len(scores) == 0:
        return lambda values: values
    low, high = scores.min(), scores.max()
    return lambda values: (values - low) / max(high - low, 1e-12)


@dataclass
class Precision:
    ap: float
    faces: int


def by_setting(detections, truth_folder):
    """Returns {setting: Precision}."""
    scale = score_scale(detections)
    found = {}
    for setting in SETTINGS:
        recall, precision, faces = curve(detections, read_truth(truth_folder, setting), scale)
        found[setting] = Precision(area_below(recall, precision), faces)
    return found


def average_precisions(detections, truth_folder):
    """Returns a line of text for each setting."""
    return "".join(f"{setting:<8}AP {found.ap:.4f}   faces {found.faces}\n"
                   for setting, found in by_setting(detections, truth_folder).items())


def every_second(listed, images, folder):
    """Fills a folder with every second image that the list names. The first one is included."""
    lines = listed.read_text(encoding="utf-8").splitlines()
    named = [line.split()[1] for line in lines if line.startswith("#")]
    for name in named[::2]:
        copy = folder / "images" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(images / name, copy)
    return folder / "images"


def detect(arguments, output):
    _, report = measurement.facepipe(
        arguments, [arguments.images, "--no-video", "--detections", output,
                    "--score", arguments.score, "--iou", arguments.iou,
                    "--device", arguments.device, "--decoder", arguments.decoder,
                    "--engine", arguments.engine, "--precision", arguments.precision,
                    *measurement.detector_words(arguments)])
    return report


def check_complete(detections, images, truth_folder):
    """Checks that each image has detections and a ground truth. Missing images could make the AP look better."""
    known = read_truth(truth_folder, "hard")
    wanted = {str(path.relative_to(images)) for path in images.rglob("*.jpg")}
    missing = sorted(wanted - set(detections))
    unknown = sorted(set(detections) - set(known))
    if missing or unknown:
        sys.exit(f"images without a line: {missing[:5]}; lines without ground truth: {unknown[:5]}")


def main():
    options = measurement.parser(__doc__)
    measurement.add_engine(options)
    options.add_argument("truth", type=pathlib.Path, metavar="GT_DIR",
                         help="folder of the official wider_{face,easy,medium,hard}_val.mat")
    options.add_argument("images", type=pathlib.Path, metavar="IMAGES",
                         help="folder that holds EVENT/IMAGE.jpg")
    options.add_argument("--every-second", type=pathlib.Path, metavar="LIST",
                         help="every second image alone of those that LIST names, from the first on: lines "
                              "like '# EVENT/IMAGE.jpg WIDTH HEIGHT', others are passed over")
    options.add_argument("--score", default="0.02", help="score threshold (default: 0.02)")
    options.add_argument("--iou", default="0.3", help="IoU threshold of the suppression (default: 0.3)")
    measurement.add_detector(options)
    options.add_argument("--device", default="auto", help="as facepipe's (default: auto)")
    options.add_argument("--decoder", default="auto", help="as facepipe's (default: auto)")
    arguments = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "detections.jsonl"
        if arguments.every_second:
            arguments.images = every_second(arguments.every_second, arguments.images,
                                            pathlib.Path(folder))
        report = detect(arguments, output)
        detections = read_detections(output)
        check_complete(detections, arguments.images, arguments.truth)
    facts = {**measurement.engine_facts(report),
             "setting": f"score > {arguments.score}, IoU {arguments.iou}, {len(detections)} images"}
    if not arguments.name:
        arguments.name = f"wider_ap_{report[0]['engine']}_{report[0]['precision']}"
    measurement.write_result(arguments, facts,
                             average_precisions(detections, arguments.truth))


if __name__ == "__main__":
    main()
