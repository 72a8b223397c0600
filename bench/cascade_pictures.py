"""The grey pictures on which cascades are measured, of the demo photo."""
import pathlib

import measurement

PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
FOLDER = pathlib.Path("/usr/share/opencv4/haarcascades")


def picture(kind, size, photo=PHOTO):
    """a: the photo enlarged to `size`, width and height; b: repeated at its own size until it fills that."""
    import cv2
    import numpy as np
    grey = cv2.imread(str(photo), cv2.IMREAD_GRAYSCALE)
    if kind == "a":
        return cv2.resize(grey, size, interpolation=cv2.INTER_LINEAR)
    height, width = grey.shape
    times = (-(-size[1] // height), -(-size[0] // width))
    return np.ascontiguousarray(np.tile(grey, times)[:size[1], :size[0]])


def cascade(name):
    return FOLDER / f"haarcascade_{name}.xml"
