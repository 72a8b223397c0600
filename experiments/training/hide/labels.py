"""Reads lists of pictures and their faces in WIDER FACE's form."""
import pathlib
from dataclasses import dataclass, field

import numpy as np

from onnx_file import Refused


@dataclass
class Labelled:
    path: str
    width: int
    height: int
    boxes: list = field(default_factory=list)  # x1 y1 x2 y2; read_labels() makes it an array


def labelled_of(line):
    path, width, height = line[1:].strip().rsplit(" ", 2)
    return Labelled(path, int(width), int(height))


def box_of(line):
    x1, y1, x2, y2 = box = [float(word) for word in line.split()]
    if not (np.all(np.isfinite(box)) and x1 < x2 and y1 < y2):
        raise ValueError
    return box


def read_labels(path):
    """Returns the pictures that a text lists. Throws Refused if a line has another form."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from None
    pictures = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("#"):
                pictures.append(labelled_of(line))
            elif line.strip():
                pictures[-1].boxes.append(box_of(line))
        except (IndexError, ValueError):
            raise Refused(f'{path}: line {number} is neither "# PATH WIDTH HEIGHT" nor, below one, '
                          '"X1 Y1 X2 Y2"') from None
    if not pictures:
        raise Refused(f"{path}: lists no picture")
    for picture in pictures:
        picture.boxes = np.array(picture.boxes, float).reshape(-1, 4)
    return pictures
