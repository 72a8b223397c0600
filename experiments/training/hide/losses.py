"""Targets and losses of CenterNet's kind: a Gaussian around each face's centre in the heat map, and the distance of
sizes and offsets at the centres."""

import torch
import torch.nn.functional as F

import draws
from boxes import CELL, spreads

FACES_AT_ONCE = 1024   # bounds the memory that targets need
UNLABELLED = .5        # the published network's score from which a place without a label may be a face
SURE = .3              # the published network's score from which its landmarks are taught
KNOWN = .2             # likewise, its score of clean faces
NEIGHBOURS = .15       # weight of the sizes in the cells beside a centre
HEAT, KEPT = 1.5, .02  # weights of losses
SIZES = OFFSETS = LANDMARKS = .5
NAMES = ("heat", "kept", "sizes", "offsets", "landmarks")


class Targets:
    """What the network's outputs should be. Maps are crops x rows x columns of cells."""

    def __init__(self, draw, crops, cells, device):
        boxes = torch.from_numpy(draw.boxes).to(device) / CELL
        crop = torch.from_numpy(draw.crops).to(device)
        state = torch.from_numpy(draw.states).to(device)
        maps = torch.zeros(3, crops, cells, cells, device=device)
        self.heat, self.ignored, self.inside = maps
        for begin in range(0, len(boxes), FACES_AT_ONCE):
            some = slice(begin, begin + FACES_AT_ONCE)
            self.add(boxes[some], crop[some], state[some])
        faces = state == draws.FACE
        self.boxes, self.crop = boxes[faces], crop[faces]

    def add(self, boxes, crop, state):
        cells = torch.arange(self.heat.shape[-1], device=boxes.device)[None]
        centres = ((boxes[:, :2] + boxes[:, 2:]) / 2).floor()
        within = [((cells + .5 >= boxes[:, a, None]) & (cells + .5 <= boxes[:, a + 2, None]))
                  | (cells == centres[:, a, None]) for a in (0, 1)]
        areas = (within[1][:, :, None] & within[0][:, None, :]).float()
        self.inside.index_reduce_(0, crop, areas, "amax")
        other, face = (torch.nonzero(state == kind).ravel() for kind in (draws.IGNORED, draws.FACE))
        if len(other):
            self.ignored.index_reduce_(0, crop[other], areas[other], "amax")
        if len(face):
            width, height = boxes[face, 2] - boxes[face, 0], boxes[face, 3] - boxes[face, 1]
            narrow = 2 * spreads(height, width)[:, None] ** 2
            down, right = (torch.exp(-(cells - centres[face, a, None]) ** 2 / narrow) for a in (1, 0))
            self.heat.index_reduce_(0, crop[face], down[:, :, None] * right[:, None, :], "amax")


def heat_loss(logits, targets, teacher):
    """CornerNet's focal loss, normalised for each crop, so that crowds of small faces don't count most. Places that are
    ignored, and those without a label that the published network takes for faces, don't count."""
    probability = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    centre = (targets.heat == 1).float()
    counted = 1 - targets.ignored * (targets.heat == 0)
    counted = counted * (1 - ((teacher > UNLABELLED) & (targets.inside == 0)).float())
    background = (1 - centre) * (1 - targets.heat) ** 4 * counted
    each = -(centre * (1 - probability) ** 2 * probability.log()).sum((1, 2))
    each = each - (background * probability ** 2 * (1 - probability).log()).sum((1, 2))
    faces = torch.bincount(targets.crop, minlength=len(logits)).float()
    return (each / (faces + 1)).mean()


def kept_loss(logits, targets, teacher, clean):
    """Keeps the published network's answers in clean, upright crops: for faces too small to be trained on, and for the
    faces that it knows."""
    where = targets.ignored * (targets.heat == 0)
    where = torch.maximum(where, ((targets.inside > 0) & (teacher > KNOWN)).float()) * clean.view(-1, 1, 1)
    teacher = teacher.clamp(1e-4, 1 - 1e-4)
    distance = F.binary_cross_entropy_with_logits(logits, teacher, reduction="none")
    distance = distance - F.binary_cross_entropy(teacher, teacher, reduction="none")
    return (where * distance).sum() / len(logits)


def box_losses(sizes, offsets, targets):
    """Returns the mean distance of the logarithms of sizes at and beside the centres, the mean distance of offsets at
    the centres, and the cells of the centres."""
    width = (targets.boxes[:, 2] - targets.boxes[:, 0]).clamp(min=.25)
    height = (targets.boxes[:, 3] - targets.boxes[:, 1]).clamp(min=.25)
    centre = (targets.boxes[:, :2] + targets.boxes[:, 2:]) / 2
    cells = sizes.shape[-1]
    middle = centre.floor().long().clamp(0, cells - 1)
    wrong, weights = sizes.new_zeros(()), sizes.new_zeros(())
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            row, column = middle[:, 1] + down, middle[:, 0] + right
            inside = ((row >= 0) & (row < cells) & (column >= 0) & (column < cells)).float()
            weight = inside * (1 if down == right == 0 else NEIGHBOURS)
            at = sizes[targets.crop, :, row.clamp(0, cells - 1), column.clamp(0, cells - 1)]
            wrong = wrong + (weight * ((at[:, 0] - height.log()).abs() + (at[:, 1] - width.log()).abs())).sum()
            weights = weights + weight.sum()
    at = offsets[targets.crop, :, middle[:, 1], middle[:, 0]]
    off = (at - (centre - middle - .5).flip(1)).abs().sum()
    return wrong / weights.clamp(min=1), off / max(len(centre), 1), middle


def losses(outputs, taught, draw, targets, keep):
    """Returns the loss, and its parts in the order of NAMES. `outputs` are the trained network's for the damaged crops,
    `taught` the published network's for the same crops without damages; the heat of both as logits. `keep`: weight of
    the published network's answers, relative to the usual one."""
    logits, sizes, offsets, landmarks = (output.float() for output in outputs)
    teacher = torch.sigmoid(taught[0][:, 0].float())
    clean = torch.from_numpy(draw.clean).to(logits.device).float()
    heat = heat_loss(logits[:, 0], targets, teacher)
    kept = kept_loss(logits[:, 0], targets, teacher, clean)
    size, offset, middle = box_losses(sizes, offsets, targets)
    at = targets.crop, slice(None), middle[:, 1], middle[:, 0]
    sure = (teacher[targets.crop, middle[:, 1], middle[:, 0]] > SURE).float()
    points = (sure[:, None] * (landmarks[at] - taught[3].float()[at]).abs()).sum() / (10 * sure.sum().clamp(min=1))
    parts = torch.stack([heat, kept, size, offset, points])
    weights = parts.new_tensor([HEAT, KEPT * keep, SIZES, OFFSETS, LANDMARKS])
    return (parts * weights).sum(), parts.detach()
