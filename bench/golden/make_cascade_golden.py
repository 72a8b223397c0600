#!/usr/bin/env python3
"""Writes tests/detector/cascade/golden/windows.txt: what OpenCV's CascadeClassifier finds in generated pictures.

    make_cascade_golden.py FOLDER > windows.txt

FOLDER holds haarcascade_*.xml (Debian's opencv-data: /usr/share/opencv4/haarcascades). The script needs the
packages of data/golden-requirements.txt, because OpenCV 5 has no CascadeClassifier. It shares no code with facepipe.
tests/detector/cascade/pictures.cpp makes the same pictures, bit for bit.
"""
import hashlib
import os
import sys
import tempfile
import xml.etree.ElementTree

import cv2
import numpy as np

HEADER = """\
# What OpenCV {opencv}'s CascadeClassifier finds in generated pictures.
# Made by bench/golden/make_cascade_golden.py FOLDER, with numpy {numpy}.
#
# cascade NAME SHA256            of haarcascade_NAME.xml
# picture NAME WIDTH HEIGHT SEED FACES CONTRAST GREY HASH
# case PICTURE CASCADE STAGES FACTOR MIN_WIDTH MIN_HEIGHT MAX_WIDTH MAX_HEIGHT WINDOWS HASH GROUPS HASH
# window X Y WIDTH HEIGHT        one of the case above it; all of them, where the picture is small
# group X Y WIDTH HEIGHT         likewise
#
# A case is detectMultiScale() with the first STAGES stages of a cascade; a maximum of 0 0 is none. WINDOWS come with
# minNeighbors 0, GROUPS with 3, or are -1 and - where there are too many windows for OpenCV to group in good time.
# Both are clipped to the picture, which OpenCV does last of all, and sorted by x, y, width, height. A HASH is FNV-1a of
# 64 bits: of a picture's bytes row by row, or of those four numbers of all boxes, each as four bytes, the lowest first.
#
# A picture is made of integers alone; / rounds down, >> too. All 32-bit products wrap.
# * hash(octave, i), of 32 bits: h = i * 0xC2B2AE3D + SEED * 0x9E3779B1 + octave * 0x85EBCA77; h ^= h >> 15;
#   h *= 0x2C1B3C6D; h ^= h >> 12; h *= 0x297A2D39; h ^= h >> 15.
# * Four octaves, k = 0..3, of radii r = 1, 4, 12, 32: the pixels hash(k, y * WIDTH + x) >> 24, of which the sum s and
#   the number n are taken over the pixels of the picture in the square of 2r + 1 around each pixel. An octave's value
#   is s * 16(2r + 1) / n - 128 * 16(2r + 1). A pixel is 128 + (the octaves' sum >> 7), clamped to 0..255.
# * FACES faces, i = 0.. : half of the height is t = 12 + hash(4, 3i) % max(1, min(min(WIDTH, HEIGHT) / 3, 200) - 12),
#   the middle (hash(4, 3i + 1) % WIDTH, hash(4, 3i + 2) % HEIGHT). Each has the ellipses below, one over the other, in
#   hundredths of t: middle (cx, cy), radii (rx, ry), grey level. A pixel (dx, dy) from the face's middle, neither of
#   them over 2t, is in it if (100 dx - cx t)^2 (ry t)^2 + (100 dy - cy t)^2 (rx t)^2 <= (rx t)^2 (ry t)^2.
#   {ellipses}
# * The mean of each pixel's 3x3 neighbours in the picture, itself included: (s + n / 2) / n, which also is p below.
# * GREY + ((p - 128) * CONTRAST >> 8), clamped to 0..255.
"""

RADII = (1, 4, 12, 32)
# Columns: hair, skin, brows, eyes, nose, lips.
ELLIPSES = ((0, -15, 85, 105, 50), (0, 10, 70, 92, 180), (-30, -14, 19, 6, 70), (30, -14, 19, 6, 70),
            (-30, 4, 14, 8, 90), (30, 4, 14, 8, 90), (0, 35, 10, 6, 130), (0, 62, 28, 9, 100))

# Columns: width, height, seed, faces, contrast, grey.
PICTURES = {
    "vga": (640, 480, 3, 14, 256, 128),
    "odd": (401, 299, 2, 10, 256, 128),
    "tall": (333, 517, 4, 12, 256, 128),
    "wide": (1279, 717, 5, 30, 256, 128),
    "hd": (1920, 1080, 6, 40, 256, 128),
    # the standard deviation of grey levels is around 10; cascades reject windows with a lower one
    "weak": (320, 240, 10, 6, 75, 128),
    "huge": (3100, 3100, 11, 60, 128, 235),  # the sum of its pixels exceeds 2^31
    "small": (61, 47, 7, 2, 256, 128),
    "strip": (200, 31, 12, 6, 256, 128),
    "pillar": (27, 160, 13, 6, 256, 128),
    "lost": (40, 48, 14, 2, 256, 128),  # the last row is lost when the picture is scaled to its first level
    "kept": (40, 47, 14, 2, 256, 128),
    "edge": (25, 25, 15, 1, 256, 128),
    "window24": (24, 24, 9, 1, 256, 128),
    "window20": (20, 20, 9, 1, 256, 128),
    "under": (19, 23, 8, 1, 256, 128),
    "dot": (1, 1, 1, 0, 256, 128),
    "flat": (100, 80, 1, 0, 0, 77),
}
SMALL = 10_000  # pixels; the boxes of smaller pictures are listed
LISTED = 80
GROUPED = 16_000  # windows; OpenCV's time to group them grows with the square of their number

DEFAULT, ALT, ALT2 = "frontalface_default", "frontalface_alt", "frontalface_alt2"
TREE, PROFILE = "frontalface_alt_tree", "profileface"
CASCADES = (DEFAULT, ALT, ALT2, TREE, PROFILE)
WHOLE = 0
ANY = (0, 0)


def cases():
    """Yields (picture, cascade, number of stages, factor, least size, largest size). WHOLE means all stages."""
    for picture in ("vga", "odd", "tall"):
        for cascade in CASCADES:
            yield picture, cascade, WHOLE, 1.1, ANY, ANY
        for cascade in (DEFAULT, ALT, ALT2):
            for stages in (2, 5):
                yield picture, cascade, stages, 1.2, ANY, ANY
    for factor in (1.05, 1.25, 1.3, 1.5, 2.0, 3.7):
        yield "odd", DEFAULT, WHOLE, factor, ANY, ANY
        yield "odd", ALT2, 2, factor, ANY, ANY
    for cascade in (DEFAULT, ALT, ALT2):
        yield "odd", cascade, 5, 1.1, (30, 30), ANY
        yield "odd", cascade, 5, 1.1, (40, 60), (200, 90)
        # no level fits: OpenCV takes the level nearest to the least size
        yield "odd", cascade, 5, 1.1, (63, 63), (63, 63)
        yield "odd", cascade, 5, 1.1, (1000, 1000), ANY
        yield "wide", cascade, WHOLE, 1.1, ANY, ANY
        yield "wide", cascade, 2, 1.2, (40, 40), ANY
        yield "weak", cascade, WHOLE, 1.1, ANY, ANY
        yield "weak", cascade, 1, 1.1, ANY, ANY
        yield "huge", cascade, 5, 1.1, ANY, (30, 30)
        yield "hd", cascade, WHOLE, 1.1, (24, 24), ANY
    yield "hd", DEFAULT, WHOLE, 1.2, ANY, ANY
    yield "hd", DEFAULT, 2, 1.1, (24, 24), ANY
    for picture in ("small", "strip", "pillar", "lost", "kept", "edge", "window24", "window20", "under", "dot", "flat"):
        for cascade in (DEFAULT, ALT, ALT2):
            yield picture, cascade, WHOLE, 1.1, ANY, ANY
            yield picture, cascade, 1, 1.3, ANY, ANY
            yield picture, cascade, 3, 1.2, ANY, ANY


def noise(seed, octave, count):
    h = np.arange(count, dtype=np.uint32) * np.uint32(0xC2B2AE3D)
    h += np.uint32((seed * 0x9E3779B1 + octave * 0x85EBCA77) & 0xFFFFFFFF)
    h ^= h >> np.uint32(15)
    h *= np.uint32(0x2C1B3C6D)
    h ^= h >> np.uint32(12)
    h *= np.uint32(0x297A2D39)
    return (h ^ h >> np.uint32(15)).astype(np.int64)


def square_sums(pixels, radius):
    """Returns, for each pixel, the sum over the square around it, and how many pixels of the square are in the
    picture."""
    height, width = pixels.shape
    sums = np.zeros((height + 1, width + 1), np.int64)
    sums[1:, 1:] = pixels.cumsum(0).cumsum(1)
    top, bottom = (np.clip(np.arange(height) + edge, 0, height) for edge in (-radius, radius + 1))
    left, right = (np.clip(np.arange(width) + edge, 0, width) for edge in (-radius, radius + 1))
    corner = lambda y, x: sums[np.ix_(y, x)]
    total = corner(bottom, right) - corner(top, right) - corner(bottom, left) + corner(top, left)
    return total, (bottom - top)[:, None] * (right - left)[None, :]


def draw_face(pixels, half_height, middle_x, middle_y):
    height, width = pixels.shape
    reach = 2 * half_height
    top, left = max(0, middle_y - reach), max(0, middle_x - reach)
    part = pixels[top : middle_y + reach + 1, left : middle_x + reach + 1]
    y, x = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
    for cx, cy, rx, ry, grey in ELLIPSES:
        across = (100 * (x - middle_x) - cx * half_height) ** 2
        down = (100 * (y - middle_y) - cy * half_height) ** 2
        square_x, square_y = (rx * half_height) ** 2, (ry * half_height) ** 2
        part[across * square_y + down * square_x <= square_x * square_y] = grey


def make_picture(width, height, seed, faces, contrast, grey):
    total = np.zeros((height, width), np.int64)
    for octave, radius in enumerate(RADII):
        sums, counts = square_sums((noise(seed, octave, width * height) >> 24).reshape(height, width), radius)
        gain = 16 * (2 * radius + 1)
        total += sums * gain // counts - 128 * gain
    pixels = np.clip(128 + (total >> 7), 0, 255)
    random = noise(seed, len(RADII), 3 * faces).tolist()
    for size, x, y in zip(random[0::3], random[1::3], random[2::3]):
        draw_face(pixels, 12 + size % max(1, min(min(width, height) // 3, 200) - 12), x % width, y % height)
    sums, counts = square_sums(pixels, 1)
    smooth = (sums + counts // 2) // counts
    return np.clip(grey + ((smooth - 128) * contrast >> 8), 0, 255).astype(np.uint8)


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def cascade_file(folder, name):
    return os.path.join(folder, f"haarcascade_{name}.xml")


class Classifiers:
    """Loads classifiers with all stages or with the first ones, and keeps them."""

    def __init__(self, folder):
        self.folder = folder
        self.loaded = {}

    def get(self, name, stages):
        """Returns a classifier and its number of stages. `stages` is the number of first stages to keep, or WHOLE."""
        if (name, stages) not in self.loaded:
            self.loaded[name, stages] = self.load(name, stages)
        return self.loaded[name, stages]

    def load(self, name, stages):
        tree = xml.etree.ElementTree.parse(cascade_file(self.folder, name))
        of_file = tree.getroot()[0].find("stages")
        for stage in list(of_file)[stages or len(of_file) :]:
            of_file.remove(stage)
        with tempfile.NamedTemporaryFile(suffix=".xml") as cut:
            tree.write(cut.name, encoding="utf-8", xml_declaration=True)
            classifier = cv2.CascadeClassifier(cut.name)
        assert not classifier.empty(), name
        return classifier, len(of_file)


def boxes(classifier, picture, factor, neighbours, least, largest):
    found = classifier.detectMultiScale(picture, factor, neighbours, minSize=least, maxSize=largest)
    return np.array(sorted(map(tuple, np.reshape(found, (-1, 4)).tolist())), np.dtype("<i4")).reshape(-1, 4)


def listed(word, rows):
    return [f"{word} {x} {y} {w} {h}" for x, y, w, h in rows.tolist()]


def run_case(classifiers, picture, case):
    name, cascade, stages, factor, least, largest = case
    classifier, stages = classifiers.get(cascade, stages)
    found = lambda neighbours: boxes(classifier, picture, factor, neighbours, least, largest)
    windows = found(0)
    groups = found(3) if len(windows) <= GROUPED else None
    grouped = "-1 -" if groups is None else f"{len(groups)} {fnv(groups.tobytes())}"
    lines = [f"case {name} {cascade} {stages} {factor} {least[0]} {least[1]} {largest[0]} {largest[1]} "
             f"{len(windows)} {fnv(windows.tobytes())} {grouped}"]
    if picture.size < SMALL and len(windows) <= LISTED:
        lines += listed("window", windows) + listed("group", groups)
    return lines


def main():
    (folder,) = sys.argv[1:]
    ellipses = " ".join(str(ellipse).replace(" ", "") for ellipse in ELLIPSES)
    print(HEADER.format(opencv=cv2.__version__, numpy=np.__version__, ellipses=ellipses), end="")
    for name in CASCADES:
        with open(cascade_file(folder, name), "rb") as file:
            print("cascade", name, hashlib.sha256(file.read()).hexdigest())
    pictures = {name: make_picture(*recipe) for name, recipe in PICTURES.items()}
    for name, picture in pictures.items():
        print("picture", name, *PICTURES[name], fnv(picture.tobytes()))
    classifiers = Classifiers(folder)
    for case in cases():
        print(*run_case(classifiers, pictures[case[0]], case), sep="\n")


if __name__ == "__main__":
    main()
