"""The damages with which a network is judged. Each one is the same for all networks."""
import math

import numpy as np
import torch
import torch.nn.functional as F

import augment
import boxes as geometry

BORDER = 32   # pixels that are mirrored around a picture, so that a blur doesn't see the other side
MOTION, BLUR, NOISE, QUALITY = 15., 3., 25., 20.
DARK, SMALLER = .12, .4


def numbers(value):
    return torch.tensor([float(value)])


def bordered(picture, function):
    """Applies a function to the picture (1 x 3 x rows x columns) with a mirrored border, on sides that are multiples of
    16. Takes the border off again."""
    height, width = picture.shape[2:]
    right, below = (BORDER + -side % 16 for side in (width, height))
    grown = F.pad(picture, (BORDER, right, BORDER, below), mode="reflect")
    return function(grown)[:, :, BORDER:BORDER + height, BORDER:BORDER + width]


def clean(picture, boxes, random):
    return picture, boxes


def turned_by(degrees):
    def turned(picture, boxes, random):
        height, width = picture.shape[2:]
        angle = math.radians(degrees * (1 if degrees % 90 == 0 or random.random() < .5 else -1))
        cosine, sine = math.cos(angle), math.sin(angle)
        matrix = np.array([[cosine, -sine], [sine, cosine]])
        new_width = round(abs(cosine) * width + abs(sine) * height)
        new_height = round(abs(cosine) * height + abs(sine) * width)
        if degrees % 90:  # the corners of a picture that is turned by 45 degrees hold few faces
            new_width = new_height = math.ceil((width + height) * .7072)
        shift = np.array([new_width, new_height]) / 2 - matrix @ (np.array([width, height]) / 2)
        return sampled(picture, matrix, shift, new_width, new_height), geometry.turned(boxes, matrix, shift)
    return turned


def sampled(picture, matrix, shift, new_width, new_height):
    height, width = picture.shape[2:]
    back = torch.from_numpy(np.linalg.inv(matrix)).float().to(picture.device)
    x, y = torch.arange(new_width, device=picture.device) + .5, torch.arange(new_height, device=picture.device) + .5
    places = torch.stack([x[None, :].expand(new_height, -1), y[:, None].expand(-1, new_width)], -1)
    places = (places - torch.tensor(shift, device=picture.device, dtype=torch.float32)) @ back.T
    grid = places * (2 / places.new_tensor([width, height])) - 1
    return F.grid_sample(picture, grid[None], align_corners=False)


def blurred_by(deviation, length):
    def blurred(picture, boxes, random):
        values = [numbers(value).to(picture.device) for value in (deviation, length, random.uniform(0, math.pi))]
        return bordered(picture, lambda grown: augment.blurred(grown, *values)), boxes
    return blurred


def noisy(picture, boxes, random):
    noise = torch.from_numpy(random.standard_normal(picture.shape, np.float32)).to(picture.device)
    grainy = (picture + NOISE * noise).clamp(0, 255)
    quality = numbers(QUALITY).to(picture.device)
    return bordered(grainy, lambda grown: augment.jpeg_like(grown, quality)), boxes


def hidden(upper, natural):
    """Hides the upper or the lower half of each face by one colour, or by another part of the picture (`natural`)."""
    def half_hidden(picture, boxes, random):
        original, picture = picture, picture.clone()
        height, width = picture.shape[2:]
        for x1, y1, x2, y2 in boxes:
            middle = (y1 + y2) / 2
            top, bottom = (y1, middle) if upper else (middle, y2)
            left, right = (int(np.clip(round(x), 0, width)) for x in (x1, x2))
            top, bottom = (int(np.clip(round(y), 0, height)) for y in (top, bottom))
            x, y = random.integers(0, width - (right - left) + 1), random.integers(0, height - (bottom - top) + 1)
            colour = torch.from_numpy(random.integers(0, 256, 3)).float().to(picture.device).view(3, 1, 1)
            part = original[0, :, y:y + bottom - top, x:x + right - left]
            picture[0, :, top:bottom, left:right] = part if natural else colour
        return picture, boxes
    return half_hidden


def dark(picture, boxes, random):
    noise = torch.from_numpy(random.standard_normal(picture.shape, np.float32)).to(picture.device)
    return 255 * (picture / 255) ** 1.4 * DARK + 4 * noise, boxes


def smaller(picture, boxes, random):
    size = picture.shape[2:]
    reduced = F.interpolate(picture, size=[round(side * SMALLER) for side in size], mode="area")
    return F.interpolate(reduced, size=size, mode="bilinear", align_corners=False), boxes


KINDS = {
    "clean": clean, "turned 45": turned_by(45), "turned 90": turned_by(90), "turned 180": turned_by(180),
    "motion 15": blurred_by(0, MOTION), "blur 3": blurred_by(BLUR, 0), "noise, JPEG 20": noisy,
    "lower half hidden": hidden(False, False), "upper half hidden": hidden(True, False),
    "lower half natural": hidden(False, True), "upper half natural": hidden(True, True), "dark": dark,
    "smaller .4": smaller}


def damaged(kind, picture, boxes, seed):
    """Returns a damaged picture, 3 x rows x columns of 0 to 255, and its boxes."""
    found, boxes = KINDS[kind](picture[None].float(), boxes, np.random.default_rng(seed))
    return found[0].clamp(0, 255).round(), boxes
