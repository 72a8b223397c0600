"""Finds in the answers of the published network what it takes for faces by mistake."""
import numpy as np

import boxes as geometry

MISTAKEN = .1       # the published network's score from which a place without a face is a mistake
UNLABELLED = .5     # likewise, from which it is probably a face that WIDER FACE doesn't label
NEAR = .2           # IoU with a label, or share of the box in a label, up to which a box is not a labelled face
LEAST_SIDE = 8      # pixels


def sorted_out(found, scores, labelled):
    """Returns the boxes that are mistakes, and those that are probably faces without a label. `labelled`: all boxes of
    faces, also those that are ignored."""
    shorter = np.minimum(*geometry.sides(found))
    apart = shorter >= LEAST_SIDE
    if len(labelled):
        shares = geometry.common_areas(found, labelled) / np.maximum(geometry.areas(found), 1e-9)[:, None]
        apart &= (geometry.overlaps(found, labelled).max(1) <= NEAR) & (shares.max(1) <= NEAR)
    unlabelled = apart & (scores >= UNLABELLED)
    return found[apart & ~unlabelled & (scores >= MISTAKEN)], found[unlabelled]
