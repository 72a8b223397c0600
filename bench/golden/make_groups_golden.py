#!/usr/bin/env python3
"""Writes tests/nms/golden/groups.txt: the groups that OpenCV's groupRectangles makes of random clusters.

    make_groups_golden.py > groups.txt

The script needs opencv-python-headless 4 (4.14.0 made the file; 5 has no groupRectangles). It shares no code with
facepipe. The file has lines of numbers:

    case THRESHOLD RECTANGLES KEPT      # how many lines of each follow
    X Y WIDTH HEIGHT                    # of each rectangle
    X Y WIDTH HEIGHT COUNT              # of each kept group
"""
import random

import cv2

EPS = 0.2
CASES = 160
SEED = 17


def jittered(rng, place, share):
    """Returns a rectangle near `place`. Each number differs by at most `share` of the longer side (at least 1)."""
    x, y, width, height = place
    off = max(1, int(max(width, height) * share))
    number = lambda: rng.randint(-off, off)
    return [x + number(), y + number(), max(1, width + number()), max(1, height + number())]


def place_in(rng, outer):
    """Returns a smaller rectangle, inside `outer` or across its edge."""
    x, y, width, height = outer
    inner_width = max(1, int(width * rng.uniform(0.3, 0.9)))
    inner_height = max(1, int(height * rng.uniform(0.3, 0.9)))
    return [x + int(rng.uniform(-0.3, 1) * (width - inner_width)),
            y + int(rng.uniform(-0.3, 1) * (height - inner_height)), inner_width, inner_height]


def clusters(rng, extent, side):
    places = []
    rectangles = []
    for _ in range(rng.randint(1, 7)):
        if places and rng.random() < 0.5:
            place = place_in(rng, rng.choice(places))
        else:
            width = rng.randint(2, side)
            place = [rng.randint(-extent // 4, extent), rng.randint(-extent // 4, extent), width,
                     max(1, int(width * rng.uniform(0.7, 1.4)))]
        places.append(place)
        share = rng.choice([0, 0.05, 0.1, 0.15])
        rectangles += [jittered(rng, place, share) for _ in range(rng.randint(1, 14))]
    rng.shuffle(rectangles)
    return rectangles


def main():
    rng = random.Random(SEED)
    print(f"# cv2 {cv2.__version__}: groupRectangles(rectangles, threshold, eps={EPS})")
    for case in range(CASES):
        # In some clusters coordinates are large, so that their sums need more bits than OpenCV's fp32 has.
        extent, side = [(60, 30), (600, 120), (1900, 400), (6_000_000, 500_000)][case % 4]
        rectangles = clusters(rng, extent, side)
        threshold = rng.choice([1, 1, 2, 3, 3, 5])
        kept, counts = cv2.groupRectangles(list(rectangles), threshold, EPS)
        print("case", threshold, len(rectangles), len(kept))
        for rectangle in rectangles:
            print(*rectangle)
        for rectangle, count in zip(kept, counts):
            print(*rectangle, count)


if __name__ == "__main__":
    main()
