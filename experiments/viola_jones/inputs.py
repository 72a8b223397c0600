"""Makes the inputs: grey VGA pictures with a byte for each pixel, in files NAME_NUMBER.grey.

The paper's nine pictures are not published. Nine crops of the demo photo replace them and, with --wider, nine pictures
of WIDER FACE. These are scaled until they cover VGA, and their middle is used. Existing files aren't made again, so one
can copy all inputs to a machine without FFmpeg.
"""
import ffmpeg
import measurement
from viola_jones import averages, published

PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
SIZE = (640, 480)
RATIO, LEAST = 1.2, 20  # ratio of scales, and smallest window, as published
LABELS = {"city": "crops of the demo photo", "wider": "pictures of WIDER FACE"}


def make(arguments, folder):
    """Returns the files of all pictures, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 2 if arguments.quick else published.PICTURES
    for i in range(count):
        # The photo has 800x564 pixels. The crops have three columns and three rows.
        column, row = i % 3, i // 3 % 3
        grey(folder / f"city_{i}.grey", PHOTO,
             f"crop={SIZE[0]}:{SIZE[1]}:(iw-{SIZE[0]})*{column}/2:(ih-{SIZE[1]})*{row}/2")
    if arguments.wider:
        for i, photo in enumerate(evenly(sorted(arguments.wider.glob("images/*/*.jpg")), count)):
            grey(folder / f"wider_{i}.grey", photo,
                 f"scale={SIZE[0]}:{SIZE[1]}:force_original_aspect_ratio=increase,crop={SIZE[0]}:{SIZE[1]}")
    return [path for name in LABELS for path in sorted(folder.glob(f"{name}_*.grey"))[:count]]


def even(size):
    """Returns the size without its last column and row where their number is odd: the programs take NV12 pictures."""
    return tuple(side // 2 * 2 for side in size)


def of_sizes(folder, sizes):
    """Returns {size: a picture of this size}, cut from the middle of the demo photo. The sizes are even()."""
    found = {size: folder / f"table1_{'x'.join(map(str, size))}.grey" for size in map(even, sizes)}
    for (width, height), file in found.items():
        grey(file, PHOTO, f"crop={width}:{height}")
    return found


def evenly(all_of_them, count):
    """Returns this many entries of a list, evenly spaced over its length."""
    count = min(count, len(all_of_them))
    return [all_of_them[i * len(all_of_them) // count] for i in range(count)]


def grey(file, photo, filters):
    ffmpeg.made(file, lambda: ["-i", photo, "-vf", f"{filters},format=gray", "-frames:v", "1", "-f", "rawvideo"])


def facts(pictures):
    """Returns {name: facts about this input for the report}."""
    counts = {name: sum(1 for path in pictures if averages.kind(path.stem) == name) for name in LABELS}
    return {name: {"name": name, "label": f"{count} {LABELS[name]}", "size": list(SIZE), "pictures": count,
                   "stand_in": name == "city"}
            for name, count in counts.items() if count}
