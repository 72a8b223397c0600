"""Draws what happens to each picture of a batch: which part of it is seen and how, what covers faces, how the picture
is damaged, and where the faces are then. augment.py does it to the pictures. The draws of a step depend only on the
seed and the step's number."""
import math
from dataclasses import dataclass

import numpy as np

import boxes as geometry

SIZE = 640              # pixels of a side of a crop
COVERS = 8              # covers of a crop at most

# States of a box: it is trained on, or it counts neither as a face nor as background.
FACE, IGNORED = 1, 0

LEAST_SEEN = .45        # share of a face in the crop
LEAST_SIDE = 7          # pixels of the shorter side
LEAST_SIZE = 10         # square root of the area, in pixels
SMALLEST_COVERED = 11   # pixels of the shorter side: smaller faces are covered entirely by a cover

MISTAKES = .1           # share of the crops that show a mistake of the published network, unless a training says more
LARGE = .12             # share of the crops that show the largest face of a picture

# Columns of the table of damages, one row a crop. A damage that isn't drawn has the value in NOTHING.
(GAIN, GAMMA, CONTRAST, BRIGHTNESS, COLOUR, BLUR, MOTION, ANGLE, SMALLER, NOISE, GREY_NOISE, SOFT_NOISE,
 QUALITY) = range(13)
NOTHING = (1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0)

# Columns of the table of covers: the crop, the centre, the axes in x and y (half sides before the turn), the angle, the
# kind, the crop that a texture comes from, the part of that crop (centre, half sides), the softness of the edge, the
# opacity, and the colour.
(CROP, X, Y, HALF_X, HALF_Y, TURN, KIND, FROM, FROM_X, FROM_Y, FROM_HALF_X, FROM_HALF_Y, SOFT, OPAQUE, RED, GREEN,
 BLUE) = range(17)
PLAIN, TEXTURE, OTHER_FACE, VISOR, ROUND = range(5)  # kinds; ROUND is a texture in an ellipse, such as a hand


@dataclass
class Source:
    """What is known of a picture of the training."""
    width: int
    height: int
    boxes: np.ndarray     # x1 y1 x2 y2 of the labelled faces
    ignore: np.ndarray    # boxes that may contain faces
    mistakes: np.ndarray  # boxes without a face that the published network takes for faces
    frame: bool           # whether it comes from an encoded video, which is damaged already


@dataclass
class Draw:
    """A batch. Matrices map the crops' pixels to the pictures': picture = matrix @ (x, y, 1)."""
    sources: np.ndarray   # numbers of the pictures
    matrices: np.ndarray  # crops x 2 x 3
    damages: np.ndarray   # crops x 13, see above
    covers: np.ndarray    # covers x 17, see above
    boxes: np.ndarray     # x1 y1 x2 y2 in the crop
    crops: np.ndarray     # the crop of each box
    states: np.ndarray    # FACE or IGNORED, for each box
    clean: np.ndarray     # whether a crop is upright and undamaged


def between(random, low, high):
    """Draws a number whose logarithm is uniform."""
    return math.exp(random.uniform(math.log(low), math.log(high)))


# --- Which part is seen ---------------------------------------------------------------------------------------


def place(random, source, mistakes):
    """Draws the scale and the point of the picture that is shown in the middle of the crop. `mistakes`: how often this
    is a mistake of the published network, if the picture has one."""
    scale = between(random, .4, 2)
    size = np.sqrt(geometry.areas(source.boxes))
    usable = np.flatnonzero(size >= 5)
    kind = random.random()
    if kind < mistakes and len(source.mistakes):
        return around(random, source.mistakes[random.integers(len(source.mistakes))], scale)
    if kind < mistakes + LARGE and len(usable):  # large faces, which a training on crops of crowds would forget
        largest = usable[size[usable].argmax()]
        scale = np.clip(between(random, 80, 420) / size[largest], .25, 3)
        return around(random, source.boxes[largest], scale)
    if kind < .82 and len(usable):
        chosen = random.choice(usable)
        if random.random() < .4:
            scale = np.clip(between(random, 8, 220) / size[chosen], .25, 2.5)
        return around(random, source.boxes[chosen], scale)
    return scale, random.uniform(0, 1, 2) * (source.width, source.height)


def around(random, box, scale):
    """Returns the scale, and a point for the crop's middle. The box is then somewhere in the crop or at its border."""
    return scale, (box[:2] + box[2:4]) / 2 + random.uniform(-.48, .48, 2) * SIZE / scale


def kept_inside(random, centre, scale, source):
    """Moves the crop so that it shows no border of a picture that is larger than the crop, in 6 of 7 cases."""
    half = SIZE / scale / 2
    for axis, side in enumerate((source.width, source.height)):
        if random.random() < 1 / 7:
            continue
        room = side - 2 * half
        centre[axis] = np.clip(centre[axis], half, side - half) if room > 0 else (
            side / 2 + random.uniform(-.5, .5) * -room)
    return centre


def angle(random, strength):
    kind = random.random()
    if kind < .25 * strength:
        return random.uniform(-math.pi, math.pi)
    if kind < .35 * strength:
        return random.integers(1, 4) * math.pi / 2
    return random.normal(0, .12)


def turning(angle_drawn, mirrored, scale):
    cosine, sine = math.cos(angle_drawn), math.sin(angle_drawn)
    return np.array([[cosine, -sine], [sine, cosine]]) @ np.diag([-1. if mirrored else 1., 1.]) * scale


# --- Damages ----------------------------------------------------------------------------------------------------


def damage(random, strength, frame):
    """Draws a row of the table of damages. Frames of encoded videos get less."""
    row = np.array(NOTHING, np.float32)
    often = strength * (.5 if frame else 1)
    if random.random() < .5:
        row[[CONTRAST, BRIGHTNESS]] = random.uniform(.6, 1.4), random.uniform(-40, 40)
        row[[GAMMA, COLOUR]] = random.uniform(.7, 1.5), random.uniform(0, 1.5)
    if random.random() < .2 * often:
        row[GAIN] = between(random, .06, .5)
    if random.random() < .25 * often:
        row[BLUR] = between(random, .5, 5)
    if random.random() < .35 * often:
        row[[MOTION, ANGLE]] = between(random, 3, 32), random.uniform(0, math.pi)
    if random.random() < .15 * often:
        row[SMALLER] = random.choice([2, 2, 3, 4])
    if random.random() < .35 * often:
        row[[NOISE, GREY_NOISE, SOFT_NOISE]] = between(random, 3, 35), random.random() < .6, random.random() < .3
    if random.random() < .4 * often:
        row[QUALITY] = random.uniform(10, 60)
    return row


def smallest_visible(row):
    """Returns the shorter side in pixels that a face must have so that these damages leave something of it."""
    return max(row[MOTION] / 1.3, row[BLUR] / .35, 5 * row[SMALLER] * (row[SMALLER] > 1))


# --- Covers -----------------------------------------------------------------------------------------------------


def covered_part(random):
    """Returns the part of an upright face that is covered: centre and half sides. The unit is the face's side, and the
    origin is its middle."""
    depth, beyond = random.uniform(.3, .58), random.uniform(0, .5)
    reach = random.uniform(.45, .75)
    kind = random.integers(7)
    if kind < 2:                                          # the lower part
        return 0, .5 - depth / 2 + beyond / 2, reach, (depth + beyond) / 2
    if kind < 4:                                          # the upper part
        return 0, -.5 + depth / 2 - beyond / 2, reach, (depth + beyond) / 2
    if kind == 4:                                         # the left or the right part
        side = random.choice([-1, 1])
        return side * (.5 - depth / 2 + beyond / 2), 0, (depth + beyond) / 2, reach
    return (*random.uniform(-.3, .3, 2), *random.uniform(.12, .35, 2))


def cover(random, crop, part, face_centre, halves, upright, others):
    """Draws a row of the table of covers. `upright` turns an upright face into the crop; `others` are faces (crop, box)
    that can cover this one."""
    row = np.zeros(17, np.float32)
    x, y, half_x, half_y = part
    kind = random.choice([PLAIN, TEXTURE, TEXTURE, ROUND, OTHER_FACE])
    if kind == OTHER_FACE and not others:
        kind = TEXTURE
    if random.random() < .12:
        kind, x, y = VISOR, 0, random.uniform(-.25, -.05)
        half_x, half_y = random.uniform(.45, .6), random.uniform(.12, .25)
    centre = face_centre + upright @ (np.array([x, y]) * 2 * halves)
    row[[CROP, X, Y]] = crop, *centre
    row[[HALF_X, HALF_Y]] = np.array([half_x, half_y]) * 2 * halves
    row[TURN] = math.atan2(upright[1, 1], upright[0, 1]) - math.pi / 2 + random.normal(0, .12)
    row[KIND], row[SOFT] = kind, random.uniform(.5, 3)
    row[OPAQUE] = random.uniform(.75, .97) if kind == VISOR else 1
    black = random.uniform(0, 60) + random.uniform(0, 25, 3)
    row[RED:BLUE + 1] = black if kind == VISOR else random.integers(0, 256, 3)
    return row, kind


def fill(random, row, kind, others, crops):
    """Draws from which crop a texture comes, and from which part."""
    if kind == OTHER_FACE:
        crop, box = others[random.integers(len(others))]
        half = (box[2:] - box[:2]) / 2
        row[[FROM, FROM_X, FROM_Y]] = crop, *(box[:2] + box[2:]) / 2
        row[[FROM_HALF_X, FROM_HALF_Y]] = half * random.uniform(.9, 1.3)
        return row
    zoom = between(random, .5, 2)
    row[FROM] = random.integers(crops)
    row[[FROM_X, FROM_Y]] = random.uniform(.1, .9, 2) * SIZE
    row[[FROM_HALF_X, FROM_HALF_Y]] = row[[HALF_X, HALF_Y]] * zoom
    return row


# --- Batches ----------------------------------------------------------------------------------------------------


def seen_boxes(source, matrix, shift):
    """Returns the boxes in the crop, the share of each in it, and whether each is labelled."""
    both = np.concatenate([source.boxes, source.ignore])
    boxes, share = geometry.clipped(geometry.turned(both, matrix, shift), SIZE)
    return boxes, share, np.arange(len(both)) < len(source.boxes)


def states_of(boxes, share, labelled, row):
    width, height = geometry.sides(boxes)
    shorter, size = np.minimum(width, height), np.sqrt(width * height)
    good = labelled & (share >= LEAST_SEEN) & (size >= LEAST_SIZE) & (shorter >= max(LEAST_SIDE, smallest_visible(row)))
    return np.where(good, FACE, IGNORED)


def covers_of(random, number, boxes, states, source_boxes, upright, scale, others, crops):
    """Draws the covers of a crop."""
    shorter = np.minimum(*geometry.sides(boxes))
    fit = np.flatnonzero((states == FACE) & (shorter >= SMALLEST_COVERED))
    rows = []
    for face in random.permutation(fit)[:COVERS]:
        if random.random() > .6:
            continue
        halves = np.array([source_boxes[face, 2] - source_boxes[face, 0],
                           source_boxes[face, 3] - source_boxes[face, 1]]) * scale / 2
        centre = (boxes[face, :2] + boxes[face, 2:]) / 2
        row, kind = cover(random, number, covered_part(random), centre, halves, upright / scale, others)
        rows.append(fill(random, row, kind, others, crops))
    return rows


def draw(sources, seed, step, crops, strength, mistakes=MISTAKES):
    """Draws a batch of `crops` crops. `strength`: 1 for the usual damages, 0 for hardly any. `mistakes`: see place()."""
    random = np.random.default_rng([seed, step])
    numbers = random.integers(len(sources), size=crops)
    matrices, damages, clean = np.zeros((crops, 2, 3)), np.zeros((crops, 13), np.float32), np.zeros(crops, bool)
    boxes, of_crop, states, known = [], [], [], []
    for crop, number in enumerate(numbers):
        source = sources[number]
        scale, centre = place(random, source, mistakes)
        centre = kept_inside(random, np.array(centre, float), scale, source)
        plain = random.random() < .35
        turn = angle(random, strength)
        matrix = turning(turn, random.random() < .5, scale)
        shift = SIZE / 2 - matrix @ centre
        back = np.linalg.inv(matrix)
        matrices[crop] = np.concatenate([back, (-back @ shift)[:, None]], 1)
        damages[crop] = NOTHING if plain else damage(random, strength, source.frame)
        clean[crop] = plain and abs(turn) < .35
        found, share, labelled = seen_boxes(source, matrix, shift)
        state = states_of(found, share, labelled, damages[crop])
        seen = share > 0
        known.append((found, state, source, matrix, scale, plain))
        boxes.append(found[seen])
        states.append(state[seen])
        of_crop += [crop] * int(seen.sum())
    covers = drawn_covers(random, known, crops, strength)
    return Draw(numbers, matrices.astype(np.float32), damages, covers, np.concatenate(boxes).astype(np.float32),
                np.array(of_crop, np.int64), np.concatenate(states), clean)


def drawn_covers(random, known, crops, strength):
    others = [(crop, found[face]) for crop, (found, state, *_) in enumerate(known)
              for face in np.flatnonzero(state == FACE)[:4]]
    rows = []
    for crop, (found, state, source, matrix, scale, plain) in enumerate(known):
        if random.random() < (.15 if plain else .5) * strength:
            rows += covers_of(random, crop, found, state, source.boxes, matrix, scale, others, crops)
    return np.array(rows, np.float32).reshape(-1, 17)
