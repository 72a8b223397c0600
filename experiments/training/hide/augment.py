"""Makes the crops of a batch on the GPU, from what draws.py has drawn. Pictures are RGB of 0 to 255, crops x 3 x rows x
columns."""
import math

import torch
import torch.nn.functional as F

import draws

# Tables of JPEG's quantisation for luma and chroma, from annex K of the standard.
LUMA = torch.tensor([
    [16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
    [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
    [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99]], dtype=torch.float32)
CHROMA = torch.full((8, 8), 99.)
CHROMA[:4, :4] = torch.tensor([[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]])
COSINES = torch.tensor([[math.sqrt((1 if row == 0 else 2) / 8) * math.cos((2 * column + 1) * row * math.pi / 16)
                         for column in range(8)] for row in range(8)])


# --- Crops ------------------------------------------------------------------------------------------------------


def grid_of(matrices, size, canvas):
    """Returns grid_sample's places for crops of `size` pixels from a canvas of `canvas` pixels."""
    middle = torch.arange(size, device=matrices.device) + .5
    x, y = middle[None, None, :], middle[None, :, None]
    places = [matrices[:, axis, 0, None, None] * x + matrices[:, axis, 1, None, None] * y
              + matrices[:, axis, 2, None, None] for axis in (0, 1)]
    return torch.stack(places, -1) * (2 / canvas) - 1


def warped(store, draw):
    """Returns the crops before any damage. Much reduced crops come from the half-sized pictures, so that they don't
    alias."""
    size = draws.SIZE
    matrices = torch.from_numpy(draw.matrices).to(store.device)
    grid = grid_of(matrices, size, store.canvas)
    step = matrices[:, :, 0].norm(dim=1)  # pixels of the picture for a pixel of the crop
    numbers = torch.from_numpy(draw.sources).to(store.device)
    crops = torch.empty(len(numbers), 3, size, size, device=store.device)
    for pictures, chosen in ((store.whole, step <= 1.6), (store.halved, step > 1.6)):
        places = torch.nonzero(chosen).ravel()
        if len(places):
            crops[places] = F.grid_sample(pictures[numbers[places]].float(), grid[places], align_corners=False)
    return crops


# --- Covers -----------------------------------------------------------------------------------------------------


def covered(crops, table):
    """Covers faces. `table` has the columns that draws.py lists; a crop's covers are laid one over another."""
    if len(table) == 0:
        return crops
    size = crops.shape[-1]
    originals, crops = crops, crops.clone()
    layer = rank_in_crop(table[:, draws.CROP])
    for number in range(int(layer.max()) + 1):
        rows = torch.from_numpy(table[layer == number]).to(crops.device)
        target = rows[:, draws.CROP].long()
        along, across = local_places(rows, size)
        mask = mask_of(rows, along, across)
        crops[target] = crops[target] * (1 - mask) + texture_of(rows, along, across, originals) * mask
    return crops


def rank_in_crop(crops):
    """Returns for each row how many rows before it have the same crop."""
    seen, ranks = {}, []
    for crop in crops.tolist():
        ranks.append(seen.get(crop, 0))
        seen[crop] = ranks[-1] + 1
    return torch.tensor(ranks).numpy()


def column(rows, number):
    return rows[:, number].view(-1, 1, 1)


def local_places(rows, size):
    """Returns where each pixel is in the cover's own axes: -1 to 1 inside it."""
    middle = torch.arange(size, device=rows.device) + .5
    x, y = middle[None, None, :] - column(rows, draws.X), middle[None, :, None] - column(rows, draws.Y)
    cosine, sine = column(rows, draws.TURN).cos(), column(rows, draws.TURN).sin()
    return ((cosine * x + sine * y) / column(rows, draws.HALF_X).clamp(min=.5),
            (cosine * y - sine * x) / column(rows, draws.HALF_Y).clamp(min=.5))


def mask_of(rows, along, across):
    is_round = column(rows, draws.KIND) == draws.ROUND
    distance = torch.where(is_round, (along ** 2 + across ** 2).clamp(min=1e-9).sqrt(),
                           torch.maximum(along.abs(), across.abs()))
    half = torch.minimum(column(rows, draws.HALF_X), column(rows, draws.HALF_Y))
    edge = (1 - distance) * half / column(rows, draws.SOFT) + .5
    return (edge.clamp(0, 1) * column(rows, draws.OPAQUE))[:, None]


def texture_of(rows, along, across, originals):
    size = originals.shape[-1]
    x = column(rows, draws.FROM_X) + along * column(rows, draws.FROM_HALF_X)
    y = column(rows, draws.FROM_Y) + across * column(rows, draws.FROM_HALF_Y)
    grid = torch.stack([x, y], -1) * (2 / size) - 1
    texture = F.grid_sample(originals[rows[:, draws.FROM].long()], grid, padding_mode="reflection", align_corners=False)
    colour = rows[:, draws.RED:draws.BLUE + 1].view(-1, 3, 1, 1)
    kind = rows[:, draws.KIND].view(-1, 1, 1, 1)
    # A visor is dark, and what it mirrors is seen faintly.
    return torch.where(kind == draws.PLAIN, colour.expand_as(texture),
                       torch.where(kind == draws.VISOR, colour + .12 * texture, texture))


# --- Damages ----------------------------------------------------------------------------------------------------


def toned(crops, rows):
    grey = crops.mean(1, keepdim=True)
    crops = grey + (crops - grey) * part(rows, draws.COLOUR)
    crops = ((crops - 128) * part(rows, draws.CONTRAST) + 128 + part(rows, draws.BRIGHTNESS)).clamp(0, 255)
    return 255 * (crops / 255).pow(part(rows, draws.GAMMA)) * part(rows, draws.GAIN)


def part(rows, number):
    return rows[:, number].view(-1, 1, 1, 1)


def blurred(crops, deviation, length, angle):
    """Blurs by a Gaussian and by a motion along a line, in the frequency domain. All arguments but the first have a
    value for each crop: pixels, pixels, radians."""
    height, width = crops.shape[2:]
    y = torch.fft.fftfreq(height, device=crops.device).view(1, 1, -1, 1)
    x = torch.fft.rfftfreq(width, device=crops.device).view(1, 1, 1, -1)
    deviation, length, angle = (value.view(-1, 1, 1, 1) for value in (deviation, length, angle))
    response = torch.exp(-2 * math.pi ** 2 * deviation ** 2 * (x ** 2 + y ** 2))
    response = response * torch.sinc(length * (x * angle.cos() + y * angle.sin()))
    return torch.fft.irfft2(torch.fft.rfft2(crops) * response, s=(height, width))


def smaller(crops, factor):
    """Scales down by a whole number, and up again."""
    size = crops.shape[2:]
    reduced = F.interpolate(crops, size=[side // factor for side in size], mode="area")
    return F.interpolate(reduced, size=size, mode="bilinear", align_corners=False)


def noisy(crops, rows, generator):
    noise = torch.randn(crops.shape, device=crops.device, generator=generator)
    grey, soft = part(rows, draws.GREY_NOISE), part(rows, draws.SOFT_NOISE)
    noise = grey * noise[:, :1] + (1 - grey) * noise
    noise = soft * 2.2 * F.avg_pool2d(noise, 3, 1, 1) + (1 - soft) * noise
    return crops + noise * part(rows, draws.NOISE)


def quantised(plane, table, scale):
    """Quantises the frequencies of blocks of 8x8 pixels, as JPEG does. `scale`: a value for each crop, in percent."""
    count, planes, height, width = plane.shape
    cosines = COSINES.to(plane.device)
    blocks = plane.view(count, planes, height // 8, 8, width // 8, 8).permute(0, 1, 2, 4, 3, 5)
    steps = ((table.to(plane.device) * scale.view(-1, 1, 1) + 50) / 100).floor().clamp(1, 255)
    steps = steps.view(count, 1, 1, 1, 8, 8)
    frequencies = torch.round(cosines @ blocks @ cosines.T / steps) * steps
    return (cosines.T @ frequencies @ cosines).permute(0, 1, 2, 4, 3, 5).reshape(plane.shape)


def jpeg_like(crops, quality):
    """Damages crops as JPEG of this quality (1 to 100, one for each crop) with half-sized chroma does. The sides must
    be multiples of 16."""
    scale = torch.where(quality < 50, 5000 / quality.clamp(min=1), 200 - 2 * quality)
    red, green, blue = crops[:, :1], crops[:, 1:2], crops[:, 2:]
    luma = .299 * red + .587 * green + .114 * blue
    chroma = F.avg_pool2d(torch.cat([(blue - luma) * .564, (red - luma) * .713], 1), 2)
    luma = quantised(luma - 128, LUMA, scale) + 128
    chroma = F.interpolate(quantised(chroma, CHROMA, scale), scale_factor=2, mode="bilinear", align_corners=False)
    of_blue, of_red = chroma[:, :1], chroma[:, 1:]
    return torch.cat([luma + 1.403 * of_red, luma - .344 * of_blue - .714 * of_red, luma + 1.773 * of_blue], 1)


def damaged(crops, table, generator):
    """Damages crops as the table of damages says."""
    rows = torch.from_numpy(table).to(crops.device)
    crops = toned(crops, rows)

    def change(chosen, function):
        places = torch.nonzero(torch.from_numpy(chosen)).ravel().to(crops.device)
        if len(places):
            crops[places] = function(crops[places], rows[places])

    change((table[:, draws.BLUR] > 0) | (table[:, draws.MOTION] > 0),
           lambda some, row: blurred(some, row[:, draws.BLUR], row[:, draws.MOTION], row[:, draws.ANGLE]))
    for factor in (2, 3, 4):
        change(table[:, draws.SMALLER] == factor, lambda some, row, factor=factor: smaller(some, factor))
    change(table[:, draws.NOISE] > 0, lambda some, row: noisy(some, row, generator))
    crops = crops.clamp(0, 255)
    change(table[:, draws.QUALITY] > 0, lambda some, row: jpeg_like(some, row[:, draws.QUALITY]))
    return crops.clamp(0, 255).round()
