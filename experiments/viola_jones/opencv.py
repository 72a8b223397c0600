"""Measures OpenCV's CascadeClassifier on the CPU, if this Python's OpenCV has this class."""
import statistics
import time

from csv_tables import spread
from experiment import missing_module
from viola_jones import inputs
from viola_jones.tables import Frame


def why_not():
    """Returns the reason why this can't be measured, or ""."""
    missing = missing_module("cv2", "numpy")
    if missing:
        return f"OpenCV's CascadeClassifier: {missing}"
    import cv2
    return "" if hasattr(cv2, "CascadeClassifier") else f"OpenCV {cv2.__version__} has no CascadeClassifier"


def frame(arguments, picture):
    """Returns a Frame: the times at the paper's scales. Windows aren't grouped."""
    import cv2
    import numpy as np
    width, height = inputs.SIZE
    pixels = np.fromfile(picture, np.uint8).reshape(height, width)
    classifier = cv2.CascadeClassifier(str(arguments.cascade))
    medians = []
    for _ in range(arguments.repeats):
        times = []
        for _ in range(6):
            begin = time.perf_counter()
            found = classifier.detectMultiScale(pixels, inputs.RATIO, 0, minSize=(inputs.LEAST, inputs.LEAST))
            times.append(1e6 * (time.perf_counter() - begin))
        medians.append(statistics.median(times[1:]))
    who = f"OpenCV {cv2.__version__} CascadeClassifier, CPU ({cv2.getNumThreads()} threads)"
    return Frame(picture.stem, who, "", len(found), len(medians), *spread(medians))
