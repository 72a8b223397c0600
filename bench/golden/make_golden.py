#!/usr/bin/env python3
"""Writes tests/detector/golden/*.json: the results of onnxruntime and plain numpy for the face models.

    make_golden.py centerface.onnx city.jpg [yunet_n_640_640.onnx] > golden.json

The script needs onnx, onnxruntime, numpy and Pillow. It shares no code with facepipe.
"""
import hashlib
import json
import sys

import numpy as np
import onnx
import onnxruntime
from PIL import Image

from pattern import pattern

# Every 37th value of an output is recorded. 37 is a prime, so samples come from all channels and columns.
SAMPLE_STEP = 37
SIZES = [(96, 64), (160, 128)]  # width, height


def session(path, width, height):
    """Returns an onnxruntime session of the model for one input size. The shapes that the file states are removed."""
    model = onnx.load(path)
    weights = {tensor.name for tensor in model.graph.initializer}
    image = next(value for value in model.graph.input if value.name not in weights)
    for dim, extent in zip(image.type.tensor_type.shape.dim, (1, 3, height, width)):
        dim.dim_value = extent
    del model.graph.value_info[:]
    for output in model.graph.output:
        for dim in output.type.tensor_type.shape.dim:
            dim.Clear()
    onnxruntime.set_default_logger_severity(3)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def run(path, planes, names):
    engine = session(path, planes.shape[2], planes.shape[1])
    return engine.run(names, {engine.get_inputs()[0].name: planes[None]})


def raw_outputs(path, names):
    cases = []
    for width, height in SIZES:
        results = run(path, pattern(width, height), names)
        outputs = [{"name": name, "count": int(value.size),
                    "samples": [round(float(v), 6) for v in value.ravel()[::SAMPLE_STEP]]}
                   for name, value in zip(names, results)]
        cases.append({"width": width, "height": height, "outputs": outputs})
    return cases


def padded_planes(picture):
    height, width = (-(-side // 32) * 32 for side in picture.shape[:2])
    planes = np.zeros((3, height, width), np.float32)
    planes[:, : picture.shape[0], : picture.shape[1]] = picture.transpose(2, 0, 1)
    return planes


def decode_centerface(heatmap, scale, offset, landmarks, threshold):
    rows, columns = np.nonzero(heatmap[0, 0] > threshold)
    pick = lambda tensor: tensor[0][:, rows, columns].astype(np.float64)
    height, width = np.exp(pick(scale)) * 4
    dy, dx = pick(offset)
    left = (columns + dx + 0.5) * 4 - width / 2
    top = (rows + dy + 0.5) * 4 - height / 2
    points = pick(landmarks)
    xs = points[1::2] * width + left
    ys = points[0::2] * height + top
    boxes = np.stack([left, top, left + width, top + height], 1)
    return boxes, heatmap[0, 0][rows, columns], np.stack([xs, ys], 2).transpose(1, 0, 2)


def decode_yunet(results, width, height, threshold):
    boxes, scores, points = [], [], []
    for level, stride in enumerate((8, 16, 32)):
        cls, obj, box, kps = (results[level * 4 + i][0].astype(np.float64) for i in range(4))
        rows, columns = np.mgrid[: height // stride, : width // stride].reshape(2, -1)
        score = np.sqrt(np.clip(cls[:, 0], 0, 1) * np.clip(obj[:, 0], 0, 1))
        centre_x, centre_y = (columns + box[:, 0]) * stride, (rows + box[:, 1]) * stride
        half_w, half_h = np.exp(box[:, 2]) * stride / 2, np.exp(box[:, 3]) * stride / 2
        corners = np.stack([centre_x - half_w, centre_y - half_h, centre_x + half_w, centre_y + half_h], 1)
        grid = np.stack([columns, rows], 1)[:, None]
        keep = score > threshold
        boxes.append(corners[keep])
        scores.append(score[keep])
        points.append(((kps.reshape(-1, 5, 2) + grid) * stride)[keep])
    return np.concatenate(boxes), np.concatenate(scores), np.concatenate(points)


def suppress(boxes, scores, threshold=0.3):
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        for j in kept:
            low = np.maximum(boxes[i, :2], boxes[j, :2])
            high = np.minimum(boxes[i, 2:], boxes[j, 2:])
            inter = np.prod(np.maximum(high - low, 0))
            areas = sum(np.prod(boxes[k, 2:] - boxes[k, :2]) for k in (i, j))
            if inter > threshold * (areas - inter):
                break
        else:
            kept.append(i)
    return kept


def faces(boxes, scores, points, picture):
    height, width = picture.shape[:2]
    boxes = np.clip(boxes, 0, [width, height, width, height])
    return [{"score": round(float(scores[i]), 4), "box": np.round(boxes[i], 2).tolist(),
             "landmarks": np.round(points[i], 2).tolist()} for i in suppress(boxes, scores)]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def golden_centerface(path, picture, threshold):
    names = ["537", "538", "539", "540"]
    found = decode_centerface(*run(path, padded_planes(picture), names), threshold)
    return {"kind": "centerface", "sha256": sha256(path), "raw": raw_outputs(path, names),
            "threshold": threshold, "faces": faces(*found, picture)}


def golden_yunet(path, picture, threshold):
    names = [f"{name}_{stride}" for stride in (8, 16, 32) for name in ("cls", "obj", "bbox", "kps")]
    planes = padded_planes(picture[:, :, ::-1])  # BGR order
    found = decode_yunet(run(path, planes, names), planes.shape[2], planes.shape[1], threshold)
    return {"kind": "yunet", "sha256": sha256(path), "raw": raw_outputs(path, names),
            "threshold": threshold, "faces": faces(*found, picture)}


def main():
    centerface, jpeg, *yunet = sys.argv[1:]
    picture = np.asarray(Image.open(jpeg).convert("RGB"))
    golden = {"picture_sha256": sha256(jpeg), "sample_step": SAMPLE_STEP,
              "models": [golden_centerface(centerface, picture, 0.5)]}
    if yunet:
        golden["models"].append(golden_yunet(yunet[0], picture, 0.6))
    json.dump(golden, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
