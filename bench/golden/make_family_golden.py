#!/usr/bin/env python3
"""Writes tests/detector/golden/families.txt: what onnxruntime and numpy find with a small network of each family.

    build/write_family_models MODELS                  # writes the networks, which the tests make with random weights
    make_family_golden.py MODELS > tests/detector/golden/families.txt

The script needs the packages of data/family-golden-requirements.txt. It shares no code with facepipe: numpy decodes the
outputs by the formulas of each family's authors.

A line of the list describes a network: its name, the SHA-256 of its file, and a score. Behind it is a line for each
box that has a better score: score, class, x1, y1, x2, y2, and then x and y of each landmark, if there are five.
"""
import hashlib
import pathlib
import sys

import numpy as np
import onnxruntime

from pattern import pattern

SIDE = 64
BEST = 20  # this many boxes of each network are listed
STRIDES = (8, 16, 32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def corners(centre_x, centre_y, width, height):
    return np.stack([centre_x - width / 2, centre_y - height / 2, centre_x + width / 2, centre_y + height / 2], -1)


def grid(stride, anchors=1):
    """Returns x and y of each cell, in strides. The cells of a place stand together."""
    y, x = np.mgrid[: SIDE // stride, : SIDE // stride].reshape(2, -1)
    return np.repeat(x, anchors), np.repeat(y, anchors)


def yolo(classes, point_values=2):
    """YOLO from version 8 on, as Ultralytics exports it. The file decodes the boxes."""
    def decode(outputs):
        rows = outputs[0][0].T.astype(np.float64)
        scores = rows[:, 4:4 + classes]
        points = rows[:, 4 + classes:].reshape(len(rows), -1, point_values)[:, :, :2]
        return corners(*rows[:, :4].T), scores.max(1), scores.argmax(1), points
    return decode


def scrfd(outputs):
    """distance2bbox() and distance2kps() of InsightFace."""
    boxes, scores, points = [], [], []
    for level, stride in enumerate(STRIDES):
        x, y = grid(stride, 2)
        score, box, point = (outputs[3 * kind + level].reshape(2 * (SIDE // stride) ** 2, -1).astype(np.float64)
                             for kind in range(3))
        boxes.append(np.stack([x - box[:, 0], y - box[:, 1], x + box[:, 2], y + box[:, 3]], 1) * stride)
        scores.append(score[:, 0])
        points.append((point.reshape(-1, 5, 2) + np.stack([x, y], 1)[:, None]) * stride)
    scores = np.concatenate(scores)
    return np.concatenate(boxes), scores, np.zeros(len(scores), int), np.concatenate(points)


ANCHORS = np.array([[[4, 5], [8, 10], [13, 16]], [[23, 29], [43, 55], [73, 105]],
                    [[146, 217], [231, 300], [335, 433]]], np.float64)


def yolo_anchors(points, wanted):
    """YOLO5Face: box, object, landmarks, classes. `wanted` are the classes that facepipe looks for."""
    def decode(outputs):
        boxes, scores, classes, landmarks = [], [], [], []
        for level, stride in enumerate(STRIDES):
            values = outputs[level][0].astype(np.float64)  # anchors x rows x columns x values
            values = values.transpose(1, 2, 0, 3).reshape(-1, values.shape[3])
            x, y = grid(stride, 3)
            anchor = np.tile(ANCHORS[level], (len(x) // 3, 1))
            b = sigmoid(values[:, :4])
            size = (2 * b[:, 2:]) ** 2 * anchor
            boxes.append(corners((b[:, 0] * 2 - 0.5 + x) * stride, (b[:, 1] * 2 - 0.5 + y) * stride, *size.T))
            chosen = sigmoid(values[:, 4:5]) * sigmoid(values[:, [5 + 2 * points + i for i in wanted]])
            scores.append(chosen.max(1))
            classes.append(chosen.argmax(1))
            offsets = values[:, 5:5 + 2 * points].reshape(len(values), points, 2)
            landmarks.append(offsets * anchor[:, None] + np.stack([x, y], 1)[:, None] * stride)
        return tuple(map(np.concatenate, (boxes, scores, classes, landmarks)))
    return decode


def retinaface(outputs):
    """decode() and decode_landm() of the authors, with the variances .1 and .2. A row has box, scores, landmarks."""
    rows = outputs[0][0].astype(np.float64)
    places, sides = [], []
    for stride, anchors in zip(STRIDES, ((16, 32), (64, 128), (256, 512))):
        x, y = grid(stride, 2)
        places.append((np.stack([x, y], 1) + 0.5) * stride)
        sides.append(np.tile(anchors, len(x) // 2))
    place, side = np.concatenate(places), np.concatenate(sides)
    centre = place + rows[:, :2] * 0.1 * side[:, None]
    size = side[:, None] * np.exp(rows[:, 2:4] * 0.2)
    points = place[:, None] + rows[:, 6:].reshape(-1, 5, 2) * 0.1 * side[:, None, None]
    return corners(*centre.T, *size.T), sigmoid(rows[:, 5] - rows[:, 4]), np.zeros(len(rows), int), points


def selected_rows(outputs):
    """Rows of x1, y1, x2, y2, score and class that the file has selected."""
    rows = outputs[0].reshape(-1, 6).astype(np.float64)
    return rows[:, :4], rows[:, 4], rows[:, 5].astype(int), np.zeros((len(rows), 0, 2))


DECODERS = {
    "scrfd": scrfd,
    "yolo8": yolo(2),
    "yolo8-pose": yolo(1, 3),
    "yolo11": yolo(1),
    "yolo11-pose": yolo(2, 3),
    "yolo-anchors": yolo_anchors(5, [0]),
    "yolo-anchors-classes": yolo_anchors(0, [1, 2]),
    "retinaface": retinaface,
    "boxes-best": selected_rows,
    "boxes-suppressed": selected_rows,
}


def numbers(values):
    return " ".join(f"{value:.3f}" for value in np.ravel(values))


def describe(name, path):
    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    picture = pattern(SIDE, SIDE)[None] / np.float32(255)
    boxes, scores, classes, points = DECODERS[name](session.run(None, {session.get_inputs()[0].name: picture}))
    boxes = np.clip(boxes, 0, SIDE)
    visible = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    ranked = np.append(np.sort(scores[visible])[::-1], 0)
    # The score lies between two boxes, so that rounding doesn't decide which boxes are listed.
    least = (ranked[min(BEST, len(ranked) - 1) - 1] + ranked[min(BEST, len(ranked) - 1)]) / 2
    lines = [f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()} {least:.6f}"]
    for i in np.flatnonzero(visible & (scores > least)):
        landmarks = " " + numbers(points[i]) if points.shape[1] == 5 else ""
        lines.append(f"{scores[i]:.5f} {classes[i]} {numbers(boxes[i])}{landmarks}")
    return lines


def main():
    folder = pathlib.Path(sys.argv[1])
    print(f"# bench/golden/make_family_golden.py wrote this list with onnxruntime {onnxruntime.__version__}.")
    for name in DECODERS:
        print("\n".join(describe(name, folder / f"{name}.onnx")))


if __name__ == "__main__":
    main()
