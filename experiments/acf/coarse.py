"""Measures a coarse detector before the fine one on WIDER FACE (section 4.2.2, Fig. 2). Needs numpy, cv2 and the data set.

The module searches the trainer's windows. facepipe searches the same windows for objects of at least the model's size.
"""
import importlib.machinery
import importlib.util
import json
import sys

import measurement
from acf.tables import Coarse
from experiment import missing_module

MOST_OVERLAP = 0.3
TRAINER = measurement.REPOSITORY / "experiments" / "training" / "train-acf"


def why_not(arguments):
    """Returns the reason why this can't be measured, or None."""
    if not arguments.acf_coarse:
        return "no coarse model was named (--acf-coarse; experiments/training/train-acf --coarse makes it)"
    return missing_module("cv2")


def trainer():
    """Returns the trainer as a module."""
    loader = importlib.machinery.SourceFileLoader("train_acf", str(TRAINER))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look the module up here
    loader.exec_module(module)
    return module


class Model:
    """Holds a model's trees and its curve of scores."""

    def __init__(self, train, file):
        import numpy as np
        told = json.loads(file.read_text(encoding="utf-8"))
        trees = told["trees"]
        self.train = train
        self.trees = train.Trees(np.array(trees["f"]), np.array(trees["t"], np.float32), np.array(trees["h"]))
        self.a, self.b = told["score"]["a"], told["score"]["b"]
        self.unit = told["unit"]

    def detections(self, boxes, sums):
        """Returns rows of x1 y1 x2 y2 score after greedy suppression, best first."""
        import numpy as np
        scores = 1 / (1 + np.exp(-self.a * (sums / self.unit - self.b)))
        rows = np.concatenate([boxes, scores[:, None]], 1)[np.argsort(-scores, kind="stable")]
        kept = []
        while len(rows):
            kept.append(rows[0])
            # This also removes the best row itself, because its IoU with itself is 1.
            rows = rows[self.train.best_overlap(rows[:, :4], rows[:1, :4]) <= MOST_OVERLAP]
        return np.array(kept).reshape(-1, 5)


def parents(at):
    """Returns the coarse windows that belong to fine windows. `at` has the scale, row and column of each fine
    window."""
    return at // [1, 2, 2]


def number(at):
    """Returns a number for each scale, row and column."""
    return (at[:, 0] << 32) + (at[:, 1] << 16) + at[:, 2]


def search(train, fine, coarse, rgb):
    """Returns {detector: its detections}, the number of all fine windows, and the number that the coarse detector
    leaves."""
    import numpy as np
    windows, roots = train.Windows(rgb, 0), train.Windows(rgb, 0, coarse=True)
    passed, sums = windows.that_pass(fine.trees)
    coarse_passed, coarse_sums = roots.that_pass(coarse.trees)
    alive = number(roots.at[coarse_passed])
    left = np.isin(number(parents(windows.at)), alive)
    both = left[passed]
    return ({"fine": fine.detections(windows.boxes[passed], sums),
             "coarse": coarse.detections(roots.boxes[coarse_passed], coarse_sums),
             "coarse and fine": fine.detections(windows.boxes[passed[both]], sums[both])}, len(left), int(left.sum()))


def measure(arguments, fine_model):
    """Returns a row for each detector."""
    import wider_ap
    train = trainer()
    fine, coarse = Model(train, fine_model), Model(train, arguments.acf_coarse)
    images = arguments.wider / "images"
    found, windows, left = {}, 0, 0
    for path in sorted(images.glob("*/*.jpg")):
        name = str(path.relative_to(images))
        detections, all_of_them, alive = search(train, fine, coarse, train.read_rgb(images, train.Picture(name, None)))
        windows, left = windows + all_of_them, left + alive
        for detector, rows in detections.items():
            found.setdefault(detector, {})[name] = rows
    rows = []
    for detector, of_images in found.items():
        precisions = wider_ap.by_setting(of_images, arguments.wider)
        rows.append(Coarse(detector, len(coarse.trees.f) if "coarse" in detector else None, len(of_images),
                           *(precisions[setting].ap for setting in wider_ap.SETTINGS),
                           left / windows if detector == "coarse and fine" else None))
    return rows
