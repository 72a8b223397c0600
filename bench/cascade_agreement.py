#!/usr/bin/env python3
"""Compares predicates by which a cascade's windows agree on a face, by the AP of the resulting scores on WIDER FACE.

A window's score is n / (n + 3). Here n is the number of windows that agree with it (it counts itself), or the sum of
its IoUs with these windows. There are two kinds of predicates. By the first, two windows agree if their edges differ by
at most eps / 2 * (smaller width + smaller height). OpenCV's groups use an eps of 0.2. By the second, they agree if
their IoU exceeds a threshold. The last row shows facepipe's own rule, which the detector applies itself. Suppression is
greedy with an IoU of 0.3. If scores are equal, the smaller window comes first, then the upper one, then the left one.
The script has the same requirements as bench/wider_ap.py.
"""
import pathlib
import tempfile

import numpy as np

import measurement
import wider_ap

FOLDER = pathlib.Path("/usr/share/opencv4/haarcascades")
CASCADES = ["frontalface_default", "frontalface_alt", "frontalface_alt2"]
EDGES = [0.1, 0.2, 0.3, 0.4]
# IoU thresholds if n is the number of windows; SUMMED has those if n is the sum of IoUs
OVERLAPS = [0.3, 0.4, 0.5, 0.6]
SUMMED = [0.3, 0.4, 0.5, 0.6]
SUPPRESSION = 0.3


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("truth", type=pathlib.Path, metavar="GT_DIR",
                         help="folder of the official wider_{face,easy,medium,hard}_val.mat")
    options.add_argument("images", type=pathlib.Path, metavar="IMAGES",
                         help="folder that holds EVENT/IMAGE.jpg")
    options.add_argument("--min-face", default="20", help="as facepipe's (default: 20)")
    return options.parse_args()


def detected(arguments, cascade, more):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "detections.jsonl"
        measurement.facepipe(arguments, [
            arguments.images, "--no-video", "--detections", output, "--device", "cpu", "--score", "0",
            "--min-face", arguments.min_face, "--model", FOLDER / f"haarcascade_{cascade}.xml", *more])
        return wider_ap.read_detections(output)


def overlaps(boxes):
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:4], boxes[None, :, 2:4])
    common = np.prod(np.maximum(high - low, 0), axis=2)
    areas = np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1)
    return common / (areas[:, None] + areas[None, :] - common)


def similar(boxes, eps):
    sides = boxes[:, 2:4] - boxes[:, :2]
    most = eps / 2 * np.minimum(sides[:, None], sides[None, :]).sum(axis=2)
    return (np.abs(boxes[:, None, :4] - boxes[None, :, :4]) <= most[:, :, None]).all(axis=2)


def suppressed(boxes, scores, iou):
    """Returns the boxes that suppression keeps, with their scores, in descending order of scores."""
    kept = []
    removed = np.zeros(len(boxes), dtype=bool)
    for box in np.argsort(-scores, kind="stable"):
        if not removed[box]:
            kept.append(box)
            removed |= iou[box] > SUPPRESSION
    return np.column_stack([boxes[kept, :4], scores[kept]])


def rescored(windows, agree):
    found = {}
    for image, boxes in windows.items():
        if len(boxes) == 0:
            found[image] = boxes
            continue
        iou = overlaps(boxes)
        agreement = agree(boxes, iou).sum(axis=1)
        found[image] = suppressed(boxes, agreement / (agreement + 3), iou)
    return found


def predicates():
    for eps in EDGES:
        yield f"edges, eps {eps}", lambda boxes, _, eps=eps: similar(boxes, eps)
    for least in OVERLAPS:
        yield f"IoU > {least}", lambda _, iou, least=least: iou > least
    for least in SUMMED:
        yield f"sum of IoU > {least}", lambda _, iou, least=least: np.where(iou > least, iou, 0)


def row(name, detections, truth):
    aps = wider_ap.by_setting(detections, truth)
    return f"{name:20}" + "".join(f"{aps[setting].ap:9.4f}" for setting in wider_ap.SETTINGS) + "\n"


def in_raster_order(boxes):
    return boxes[np.lexsort((boxes[:, 0], boxes[:, 1], boxes[:, 2] - boxes[:, 0]))]


def table(arguments, cascade):
    # No IoU exceeds 1, so this keeps every window.
    windows = detected(arguments, cascade, ["--iou", "1"])
    windows = {image: in_raster_order(boxes) for image, boxes in windows.items()}
    wider_ap.check_complete(windows, arguments.images, arguments.truth)
    lines = [f"{cascade:20}" + "".join(f"{setting:>9}" for setting in wider_ap.SETTINGS) + "\n"]
    lines += [row(name, rescored(windows, agree), arguments.truth) for name, agree in predicates()]
    lines.append(row("OpenCV's groups", detected(arguments, cascade, [
        "--nms-rule", "opencv-groups", "--nms-neighbours", "1"]), arguments.truth))
    lines.append(row("facepipe", detected(arguments, cascade, []), arguments.truth))
    return "".join(lines)


def main():
    arguments = arguments_given()
    body = "\n".join(table(arguments, cascade) for cascade in CASCADES)
    measurement.write_result(arguments, {"setting": f"min face {arguments.min_face}, scale factor 1.1"}, body)


if __name__ == "__main__":
    main()
