"""Writes the file of a detector of aggregate channel features, which detector/acf/model/README.md describes.
The scripts experiments/training/train-acf and data/acf-from-mat use this module. A file appears only when it is
complete, and replaces another file only if the user asks for this.

All sizes are pairs (rows, columns).
"""
import json
import os

import numpy as np

SHRINK = 4  # pixels, the side of a cell
ORIENTATIONS = 6
CHANNELS = 4 + ORIENTATIONS
PER_OCTAVE = 8  # scales per octave
UNIT = 65536  # sums are whole numbers of 1 / 65536


class Refused(Exception):
    """An error whose text is one line. The line says what can't be used, and why."""


def text_of(class_name, sizes, lambdas, threshold, score, trees):
    """Returns the text of the file. `sizes` are the sizes of the object, the window and the padding. `trees` is
    (features, thresholds, leaves); each of these arrays has a row for each tree."""
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
    # numpy writes a float32 with the fewest digits from which the same float can be read.
    parts = [("f", features), ("t", thresholds.astype(np.float32)), ("h", leaves)]
    return (json.dumps(head, indent=1)[:-2] + ',\n "trees": {\n'
            + ",\n".join(f'"{name}": [\n{rows_of(array)}]' for name, array in parts) + "\n}}\n")


def rows_of(array):
    return ",\n".join("[" + ",".join(str(v) for v in row) + "]" for row in array)


def check_target(path, overwrite):
    """Raises Refused if the file can't be written to `path`. Call it before the work, so that no work is lost."""
    try:
        if path.is_symlink():
            raise Refused(f"{path}: is a link, which is never written through: name the file itself")
        if path.exists() and not path.is_file():
            raise Refused(f"{path}: is not a file")
        if path.exists() and not overwrite:
            raise Refused(f"{path}: exists already; --overwrite replaces it")
        if not path.parent.is_dir():
            raise Refused(f"{path}: there is no folder {path.parent}")
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None


def write(path, text, overwrite):
    check_target(path, overwrite)  # checked again, because a file can have appeared since the first check
    unfinished = path.with_name(f".acf-{os.getpid()}.unfinished")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(unfinished, path)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    finally:
        unfinished.unlink(missing_ok=True)
