"""Makes the pictures on which detectors with a sliding window are measured. They show the demo photo."""
import contextlib
import pathlib
import re
import tempfile

import measurement

PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
FOLDER = pathlib.Path("/usr/share/opencv4/haarcascades")
# bench_acf_cuda and bench_cascade_cuda print this line: the number of candidates, the median and quartiles of single
# replays, and the median of replays in a row.
LINE = re.compile(r"(\d+) candidates +single ([\d.]+) ms \(quartiles ([\d.]+) ([\d.]+)\)"
                  r" +in a row [\d.]+ ms best, ([\d.]+) median")


def add_folders(options):
    """Adds --prepare and --pictures, for machines without OpenCV for Python."""
    options.add_argument("--prepare", type=pathlib.Path, metavar="FOLDER",
                         help="write the pictures there, and measure nothing")
    options.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER", help="of --prepare")


@contextlib.contextmanager
def folder_of(arguments, prepare):
    """Yields the folder of --pictures, or a temporary folder after prepare() has filled it."""
    if arguments.pictures:
        yield arguments.pictures
        return
    with tempfile.TemporaryDirectory() as made:
        prepare(pathlib.Path(made))
        yield pathlib.Path(made)


def picture(kind, size, photo=PHOTO, colors=False):
    """Returns picture a (the photo enlarged to `size`), or b (the photo repeated until it fills `size`).

    `size` is (width, height). A pixel is a grey level or, with `colors`, blue, green and red.
    """
    import cv2
    import numpy as np
    read = cv2.imread(str(photo), cv2.IMREAD_COLOR if colors else cv2.IMREAD_GRAYSCALE)
    if kind == "a":
        return cv2.resize(read, size, interpolation=cv2.INTER_LINEAR)
    height, width = read.shape[:2]
    times = (-(-size[1] // height), -(-size[0] // width), *([1] if colors else []))
    return np.ascontiguousarray(np.tile(read, times)[:size[1], :size[0]])


def nv12(picture):
    """Converts a picture with channels blue, green and red to NV12 (BT.601, limited range)."""
    import cv2
    import numpy as np
    height, width = picture.shape[:2]
    planar = cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420)
    chroma = planar[height:].reshape(2, height * width // 4)
    return planar[:height].tobytes() + np.ascontiguousarray(chroma.T).tobytes()


def cascade(name):
    return FOLDER / f"haarcascade_{name}.xml"
