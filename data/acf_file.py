"""Writes the file of a detector of aggregate channel features, which detector/acf/model/README.md describes.
experiments/training/train-acf and acf-from-mat use it. The file appears only when it is complete, and replaces
another file only if the user asks for that.

Pairs are (rows, columns).
"""
import json
import os

import numpy as np

SHRINK = 4  # pixels, the side of a cell
ORIENTATIONS = 6
CHANNELS = 4 + ORIENTATIONS
PER_OCTAVE = 8  # scales
UNIT = 65536  # sums are whole numbers of 1 / 65536


class Refused(Exception):
    """A line that names what can't be used, and why."""


def text_of(class_name, sizes, lambdas, threshold, score, trees):
    """`sizes` are those of object, window and padding. `trees` is (features, thresholds, leaves), with a row a tree."""
    model, window, padding = sizes
    head = {
        "format": "facepipe-acf", "version": 1, "class": class_name,
        "channels": {"colors": "luv", "shrink": SHRINK, "orientations": ORIENTATIONS,
                     "normalization_radius": 5, "normalization_constant": .005},
        "pyramid": {"per_octave": PER_OCTAVE, "approximated": PER_OCTAVE - 1,
                    "lambdas": list(lambdas)},
        "window": {"width": model[1], "height": model[0], "padded_width": window[1],
                   "padded_height": window[0]},
        "padding": {"x": padding[1], "y": padding[0]}, "stride": SHRINK,
        "unit": UNIT, "threshold": threshold, "score": {"a": score[0], "b": score[1]},
    }
    features, thresholds, leaves = trees
    # A float32's text is the shortest one that gives the same float.
    parts = [("f", features), ("t", thresholds.astype(np.float32)), ("h", leaves)]
    return (json.dumps(head, indent=1)[:-2] + ',\n "trees": {\n'
            + ",\n".join(f'"{name}": [\n{rows_of(array)}]' for name, array in parts) + "\n}}\n")


def rows_of(array):
    return ",\n".join("[" + ",".join(str(v) for v in row) + "]" for row in array)


def check_target(path, overwrite):
    """Refuses a target to which no file may be written. Called before the work whose result is the file."""
    try:
        if path.is_symlink():
            raise Refused(f"{path}: is a link, which is never written through: name the file itself")
        if path.exists() and not path.is_file():
            raise Refused(f"{path}: is no file")
        if path.exists() and not overwrite:
            raise Refused(f"{path}: exists already; --overwrite replaces it")
        if not path.parent.is_dir():
            raise Refused(f"{path}: there is no folder {path.parent}")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None


def write(path, text, overwrite):
    check_target(path, overwrite)  # again, because a file may have come meanwhile
    unfinished = path.with_name(f".acf-{os.getpid()}.unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(unfinished, path)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    finally:
        unfinished.unlink(missing_ok=True)
