"""Geometry of boxes, as arrays of x1 y1 x2 y2 in pixels, one box a row."""
import numpy as np

CELL = 4           # the network's outputs have one cell for this many pixels
OVERLAP = .7       # CenterNet's least overlap of a box whose centre is as far off as the radius
SUPPRESSED_FROM = .3   # a box with more IoU with a better one is suppressed
NARROWEST = .3     # standard deviation, in cells, of the narrowest Gaussian


def sides(boxes):
    """Returns widths and heights."""
    return boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]


def areas(boxes):
    width, height = sides(boxes)
    return np.clip(width, 0, None) * np.clip(height, 0, None)


def common_areas(boxes, others):
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:4], others[None, :, 2:4])
    return np.prod(np.clip(high - low, 0, None), axis=2)


def overlaps(boxes, others):
    """Returns the IoU of each box with each other box."""
    common = common_areas(boxes, others)
    return common / np.maximum(areas(boxes)[:, None] + areas(others)[None, :] - common, 1e-9)


def suppressed(boxes, scores, most=SUPPRESSED_FROM):
    """Returns the places of the boxes that greedy suppression keeps, by falling score."""
    order = np.argsort(-scores, kind="stable")
    kept = []
    while len(order):
        kept.append(order[0])
        iou = overlaps(boxes[order[:1]], boxes[order[1:]])[0]
        order = order[1:][iou <= most]
    return np.array(kept, dtype=int)


def turned(boxes, matrix, shift):
    """Returns the boxes of faces after `matrix @ point + shift`. The matrix turns, mirrors and scales evenly.

    A face is taken for the ellipse in its box. The new box is the one around the turned ellipse, which is tighter than
    the box around the turned box: a face that is turned by 45 degrees keeps its size.
    """
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2 @ matrix.T + shift
    halves = np.stack(sides(boxes), 1) / 2
    new = np.sqrt((halves[:, None, :] ** 2 * matrix[None] ** 2).sum(2))
    return np.concatenate([centres - new, centres + new], 1)


def clipped(boxes, size):
    """Returns the parts of boxes in a square picture of `size` pixels, and the share of each box in the picture."""
    inside = np.clip(boxes, 0, size)
    return inside, areas(inside) / np.maximum(areas(boxes), 1e-9)


def gaussian_radius(height, width):
    """Returns CenterNet's radius: about .27 of the side of a square box. Works for numbers, arrays and tensors.

    The network was trained with it. With a narrower Gaussian, a training lowers the scores of large faces.
    """
    b = 2 * OVERLAP * (height + width)
    return ((b ** 2 + 16 * OVERLAP * (1 - OVERLAP) * width * height) ** .5 - b) / 2


def spreads(height, width):
    """Returns the standard deviations of the Gaussians around the centres of boxes, all in cells."""
    radius = gaussian_radius(height, width) // 1
    return (2 * radius + 1) / 6 + (NARROWEST - 1 / 6) * (radius < 1)
