"""Compares networks by the share of faces that they find at equal numbers of false boxes."""
from dataclasses import dataclass

import numpy as np

import boxes as geometry

HIT, FALSE = .4, .3      # least IoU of a found face, and IoU below which a box is false
SMALLEST = 16            # pixels of the shorter side of faces that count
SMALLEST_FALSE = 14 ** 2  # square pixels: smaller false boxes hide nothing that anybody would miss


@dataclass
class Found:
    """Scores of all pictures of a kind."""
    faces: np.ndarray   # the score with which each face was found, 0 for those that weren't
    false: np.ndarray   # scores of false boxes, falling

    def recall(self, score):
        return float((self.faces >= score).mean()) if len(self.faces) else 0.

    def false_from(self, score):
        return int((self.false >= score).sum())

    def score_with(self, count, least):
        """Returns the score from which there are at most `count` false boxes."""
        return max(np.nextafter(self.false[count], 2), least) if len(self.false) > count else least


def matched(boxes, scores, faces):
    """Returns the score of each face that counts, and the scores of false boxes. Boxes are sorted by falling score, and
    each takes the free face that it overlaps most."""
    counted = np.minimum(*geometry.sides(faces)) >= SMALLEST
    got = np.zeros(len(faces))
    large = geometry.areas(boxes) >= SMALLEST_FALSE
    if len(faces) == 0 or len(boxes) == 0:
        return got[counted], scores[large]
    iou = geometry.overlaps(boxes, faces)
    for number, score in enumerate(scores):
        free = np.where((got == 0) & (iou[number] >= HIT), iou[number], 0)
        if free.max() > 0:
            got[free.argmax()] = score
    return got[counted], scores[large & (iou.max(1) < FALSE)]


def pooled(pairs):
    faces, false = zip(*pairs)
    return Found(np.concatenate(faces), np.sort(np.concatenate(false))[::-1])


def table(before, others, score, least):
    """Returns lines: for each network the lowest score that gives no more false boxes in clean pictures than the
    published network has at `score`, and with it the recall of each kind. In brackets: with no more false boxes in the
    damaged pictures, too. `before` and the values of `others` are {kind: Found}."""
    count = before["clean"].false_from(score)
    names = {"published": before, **others}
    width = max(map(len, names)) + 10
    levels = {name: found["clean"].score_with(count, least) for name, found in names.items()}
    lines = [f"at {count} false boxes in clean pictures (published: score {score:g}), recall in %",
             "score".ljust(22) + "".join(f"{name} {levels[name]:.3f}".rjust(width) for name in names)]
    for kind in before:
        row = kind.ljust(22)
        most = before[kind].false_from(levels["published"])
        for name, found in names.items():
            equal = max(found[kind].score_with(most, least), levels[name])
            shares = [100 * found[kind].recall(level) for level in (levels[name], equal)]
            row += f"{shares[0]:.1f} [{shares[1]:.1f}]".rjust(width)
        lines.append(row)
    return lines
