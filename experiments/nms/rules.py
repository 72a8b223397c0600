"""Computes in plain code which candidates the rules keep, and how much two rules differ.

Candidates are in rank order: by falling score. A predicate says whether a winner suppresses a loser. Python's floats
have more bits than the program's. So this code can decide differently if a pair's overlap is nearly the threshold.
"""


def iou_above(threshold):
    def suppresses(winner, loser):
        common = side(winner[0], winner[2], loser[0], loser[2]) * side(winner[1], winner[3],
                                                                       loser[1], loser[3])
        return common > threshold * (area(winner) + area(loser) - common)
    return suppresses


def published(threshold):
    """Oro et al. 2020, Algorithm 1: squares (x, y, z) with sides of z + 1; the common area divided by the winner's
    area."""
    def suppresses(winner, loser):
        (ax, ay, az), (bx, by, bz) = square(winner), square(loser)
        width = max(0.0, min(ax + az, bx + bz) - max(ax, bx) + 1)
        height = max(0.0, min(ay + az, by + bz) - max(ay, by) + 1)
        return width * height >= threshold * (az + 1) * (az + 1)
    return suppresses


def side(low, high, other_low, other_high):
    return max(0.0, min(high, other_high) - max(low, other_low))


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def square(box):
    return box[0], box[1], max(box[2] - box[0], box[3] - box[1])


def suppressors(boxes, suppresses):
    """Returns, for each box, the boxes with higher scores that suppress it. Sweeps over the boxes from left to
    right."""
    found = [[] for _ in boxes]
    active = []
    # This treats boxes as squares that are one pixel larger, so that the sweep misses no pair that a predicate can
    # join.
    sides = [max(box[2] - box[0], box[3] - box[1]) + 1 for box in boxes]
    right, bottom = ([box[axis] + side for box, side in zip(boxes, sides)] for axis in (0, 1))
    for j in sorted(range(len(boxes)), key=lambda i: boxes[i][0]):
        left, top = boxes[j][:2]
        active = [i for i in active if right[i] >= left]
        for i in active:
            if bottom[i] >= top and bottom[j] >= boxes[i][1]:
                winner, loser = min(i, j), max(i, j)
                if suppresses(boxes[winner], boxes[loser]):
                    found[loser].append(winner)
        active.append(j)
    return found


def greedy(found):
    """Returns the boxes that no kept box with a higher score suppresses."""
    kept = set()
    for i, better in enumerate(found):
        if not kept.intersection(better):
            kept.add(i)
    return kept


def any_stronger(found):
    """Returns the boxes that no box with a higher score suppresses, kept or not. This is the rule of the papers and of
    Fast NMS."""
    return {i for i, better in enumerate(found) if not better}


def compare(boxes, suppresses):
    """Returns the numbers of boxes that greedy keeps, that any_stronger keeps, and that only one of them keeps."""
    found = suppressors(boxes, suppresses)
    one, other = greedy(found), any_stronger(found)
    return len(one), len(other), len(one ^ other)
