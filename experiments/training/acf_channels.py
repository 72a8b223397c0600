"""Computes aggregate channel features in numpy, as detector/acf/channels.h defines them. Every operation is
in single precision and in the same order as in the detector, so that the results are equal.

Pictures are RGB, 8 bits, (rows, columns, 3). Channels are (rows, columns, 10) cells of 4x4 pixels:
L, U, V, gradient magnitude, and its histogram over 6 orientations.
"""
import numpy as np

from acf_file import CHANNELS, ORIENTATIONS, PER_OCTAVE, SHRINK  # noqa: F401 (train-acf imports them from this module)

f32 = np.float32

# 6 / pi * arctan(r) = r (c0 + c1 r^2 + ...) for 0 <= r <= 1, with an error below 1e-7. The coefficients make the
# largest error as small as possible.
ANGLE = [f32(c) for c in (1.9098581, -0.63655347, 0.38095134, -0.2656353, 0.18415236, -0.10678462,
                          0.041755132, -0.0077436417)]


def lightness_table():
    y = np.arange(1025) / 1024
    return (np.where(y > (6 / 29) ** 3, 116 * np.cbrt(y) - 16, y * (29 / 3) ** 3) / 270).astype(f32)


LIGHTNESS = lightness_table()


def luv(rgb):
    level = rgb.astype(f32) * f32(1 / 255)
    r, g, b = level[..., 0], level[..., 1], level[..., 2]

    def weighted(x, y, z):
        return (f32(x) * r + f32(y) * g) + f32(z) * b
    x = weighted(.430574, .341550, .178325)
    y = weighted(.222015, .706655, .071330)
    z = weighted(.020183, .129553, .939180)
    light = LIGHTNESS[np.minimum((y * f32(1024)).astype(np.int32), 1024)]
    k = f32(1) / (((x + f32(15) * y) + f32(3) * z) + f32(1e-35))
    u = light * ((f32(52) * x) * k - f32(13 * .197833)) + f32(88 / 270)
    v = light * ((f32(117) * y) * k - f32(13 * .468331)) + f32(134 / 270)
    return np.stack([light, u, v], -1)


def taps(before, after):
    """Returns (index, weight) of the samples whose weighted sum is a sample after resampling, in their order. If the
    picture becomes smaller, weights are shares of area. If it becomes larger, a sample has two neighbours."""
    if before == after:
        return np.arange(after)[:, None], np.ones((after, 1), f32)
    out = np.arange(after, dtype=np.int64)
    if before > after:
        first = out * before // after
        count = int((-(-(out + 1) * before // after) - first).max())
        index = first[:, None] + np.arange(count)
        shared = (np.minimum((index + 1) * after, (out[:, None] + 1) * before)
                  - np.maximum(index * after, out[:, None] * before))
        weight = np.maximum(shared, 0) / before
    else:
        place = (2 * out + 1) * before - after  # in units of 1 / (2 after)
        low = place // (2 * after)
        second = (place - low * 2 * after) / (2 * after)
        index = np.stack([low, low + 1], 1)
        weight = np.stack([1 - second, second], 1)
    return np.clip(index, 0, before - 1), weight.astype(f32)


def resample(picture, rows, columns):
    """Resamples rows first, then columns. Products are summed in the order of the taps."""
    index, weight = taps(picture.shape[0], rows)
    out = picture[index[:, 0]] * weight[:, 0, None, None]
    for t in range(1, index.shape[1]):
        out = out + picture[index[:, t]] * weight[:, t, None, None]
    index, weight = taps(picture.shape[1], columns)
    wide = out[:, index[:, 0]] * weight[:, 0, None]
    for t in range(1, index.shape[1]):
        wide = wide + out[:, index[:, t]] * weight[:, t, None]
    return wide


def smooth(picture):
    """Filters with [1 2 1] / 4 down and across. The border is repeated."""
    p = np.concatenate([picture[:1], picture, picture[-1:]])
    p = ((p[:-2] + p[2:]) + (p[1:-1] + p[1:-1])) * f32(.25)
    p = np.concatenate([p[:, :1], p, p[:, -1:]], 1)
    return ((p[:, :-2] + p[:, 2:]) + (p[:, 1:-1] + p[:, 1:-1])) * f32(.25)


def triangle_sums(m):
    """Returns sums with weights 1..6..1 down and across. The picture is mirrored at its border."""
    def down(a):
        p = np.concatenate([a[4::-1], a, a[:-6:-1]])
        for _ in range(2):
            pair = p[:-1] + p[1:]
            p = (pair[:-4] + pair[2:-2]) + pair[4:]
        return p
    return np.ascontiguousarray(down(np.ascontiguousarray(down(m).T)).T)


def strongest_gradient(picture):
    """Returns (gx, gy, magnitude) of the channel with the greatest magnitude. If magnitudes are equal, the first
    channel counts."""
    half = f32(.5)
    gx = np.empty_like(picture)
    gx[:, 1:-1] = (picture[:, 2:] - picture[:, :-2]) * half
    gx[:, 0] = picture[:, 1] - picture[:, 0]
    gx[:, -1] = picture[:, -1] - picture[:, -2]
    gy = np.empty_like(picture)
    gy[1:-1] = (picture[2:] - picture[:-2]) * half
    gy[0] = picture[1] - picture[0]
    gy[-1] = picture[-1] - picture[-2]
    square = gx * gx + gy * gy
    k = square.argmax(-1)[..., None]
    gx, gy, square = (np.take_along_axis(a, k, -1)[..., 0] for a in (gx, gy, square))
    return gx, gy, np.sqrt(square)


def orientation(gx, gy):
    """Returns the orientation in units of pi / 6: 0 <= o < 6."""
    x, y = np.abs(gx), np.abs(gy)
    most = np.maximum(x, y)
    r = np.minimum(x, y) / np.where(most > 0, most, f32(1))
    z = r * r
    p = np.full_like(r, ANGLE[-1])
    for c in ANGLE[-2::-1]:
        p = p * z + c
    o = r * p
    o = np.where(y > x, f32(3) - o, o)
    o = np.where((gx < 0) != (gy < 0), f32(6) - o, o)
    return np.where(o >= f32(6), o - f32(6), o)


def cells(pixels):
    """Returns the means of 4x4 pixels. Sums four rows and then four columns, in both cases pairs first."""
    r = (pixels[0::4] + pixels[1::4]) + (pixels[2::4] + pixels[3::4])
    return ((r[:, 0::4] + r[:, 1::4]) + (r[:, 2::4] + r[:, 3::4])) * f32(1 / 16)


def channels(picture):
    """Returns the channels of a LUV picture whose sides are multiples of 4, and at least 8."""
    picture = smooth(picture)
    gx, gy, magnitude = strongest_gradient(picture)
    magnitude = magnitude / (triangle_sums(magnitude) * f32(1 / 1296) + f32(.005))
    o = orientation(gx, gy)
    low = o.astype(np.int32)
    share = o - low.astype(f32)
    second, first = magnitude * share, magnitude * (f32(1) - share)
    following = np.where(low == ORIENTATIONS - 1, 0, low + 1)
    zero = f32(0)
    bins = [cells(np.where(low == b, first, np.where(following == b, second, zero)))
            for b in range(ORIENTATIONS)]
    return np.stack([*(cells(picture[..., c]) for c in range(3)), cells(magnitude), *bins], -1)


def rounded(x):
    return int(np.floor(x + .5))


class Scale:
    """Describes a scale. If `real`, its channels are computed from the picture resized to this scale. Otherwise they
    are resampled from the channels of scale `source`."""

    def __init__(self, number, octaves_up, size, last):
        self.number = number
        self.scale = 2.0 ** (octaves_up - number / PER_OCTAVE)
        self.rows, self.columns = (rounded(side * self.scale / SHRINK) for side in size)
        self.real = number % PER_OCTAVE == 0
        below = number // PER_OCTAVE * PER_OCTAVE
        above = below + PER_OCTAVE
        nearer = above if number % PER_OCTAVE > PER_OCTAVE // 2 and above <= last else below
        self.source = number if self.real else nearer


def plan(size, model, octaves_up=0):
    """Returns the scales of a picture of `size`, the largest scale first. `size` and `model` are (rows, columns)."""
    ratio = min(size[0] / model[0], size[1] / model[1])
    last = int(np.floor(PER_OCTAVE * (octaves_up + np.log2(ratio))))
    return [Scale(i, octaves_up, size, last) for i in range(last + 1)]


def pyramid(rgb, scales, lambdas, padding):
    """Returns the channels of each scale, smoothed and padded by `padding` (rows, columns) of cells.
    `lambdas` are those for colour, magnitude and histograms."""
    whole = base = luv(rgb)
    real = {}
    exponents = np.array([lambdas[0]] * 3 + [lambdas[1]] + [lambdas[2]] * ORIENTATIONS)
    padded = []
    for s in scales:
        if s.real:
            size = (s.rows * SHRINK, s.columns * SHRINK)
            source = base if s.scale < 1 else whole
            picture = source if source.shape[:2] == size else resample(source, *size)
            if s.scale == .5:
                base = picture
            real[s.number] = channels(picture), s.scale
    for s in scales:
        if s.real:
            found = real[s.number][0]
        else:
            source, scale = real[s.source]
            factor = ((s.scale / scale) ** -exponents).astype(f32)
            found = resample(source, s.rows, s.columns) * factor
        found = smooth(found)
        rows, columns = padding
        sides = ((rows, rows), (columns, columns), (0, 0))
        padded.append(np.concatenate([np.pad(found[..., :3], sides, "edge"),
                                      np.pad(found[..., 3:], sides)], -1))
    return padded
