"""Computes averages over pictures for tables, figures and claims."""
import statistics
from collections import defaultdict

from viola_jones import published

# The order of tables and figures.
VARIANTS = ("static, basic", "static, shared memory", "dynamic warp")
ORDER = (*VARIANTS, "OpenCV's schedule", "OpenCV's schedule, whole scales", "facepipe")
OTHER_WINDOWS = ("OpenCV's schedule, whole scales", "facepipe")  # they search other windows than the paper
INPUTS = ("city", "wider")


def kind(picture):
    """Returns "city" or "wider" for a picture's name."""
    return picture.rpartition("_")[0]


def kinds(rows):
    present = {kind(row.picture) for row in rows}
    return [name for name in INPUTS if name in present]


def mean_us(rows):
    """Returns the mean of the pictures' medians."""
    return statistics.mean(row.median_us for row in rows)


def fps(rows):
    return 1e6 / mean_us(rows)


def of_frames(frames, name, copies):
    """Returns {who: rows} in the order of ORDER."""
    found = {who: [row for row in frames
                   if (row.who, row.copies, kind(row.picture)) == (who, copies, name)] for who in ORDER}
    return {who: rows for who, rows in found.items() if rows}


def rates(frames, name, copies="with copies"):
    """Returns {who: frames a second}, or {} if there is no input."""
    return {who: fps(rows) for who, rows in of_frames(frames, name, copies).items()} if name else {}


def by_choice(choices, who, words, name):
    """Returns {number: rows} of a variant. In a row's `who`, the number follows `words`, as in "dynamic warp, K 7"."""
    found = defaultdict(list)
    for row in choices:
        before, _, number = row.who.rpartition(f" {words} ")
        if before == f"{who}," and kind(row.picture) == name:
            found[int(number.split()[0])].append(row)
    return dict(sorted(found.items()))


def multiprocessors_of_part(results):
    """Returns how many multiprocessors the part of the chip had, or published.PART if nothing was measured."""
    return max((row.multiprocessors for row in results.part_scales), default=published.PART)


def by_scale(rows, value):
    """Returns {scale: mean of value(row) over the scale's rows}."""
    values = defaultdict(list)
    for row in rows:
        values[row.scale].append(value(row))
    return {scale: statistics.mean(values[scale]) for scale in sorted(values)}


def shares(values):
    """Returns the values divided by their sum."""
    total = sum(values.values())
    return {key: value / total for key, value in values.items()} if total else {}


def scale_times(scales, who, name):
    return by_scale([row for row in scales if row.who == who and kind(row.picture) == name],
                    lambda row: row.median_us)


def active_warps(scales, who, name):
    return by_scale([row for row in scales if row.who == who and kind(row.picture) == name],
                    lambda row: row.active_warps)


def stumps(results, name):
    return by_scale([row for row in results.work if kind(row.picture) == name], lambda row: row.stumps)


def of_devices(results, name, how, dealt, device="all"):
    """Returns {number of devices: rows}."""
    found = defaultdict(list)
    for row in [*results.devices, *results.mpi]:
        if (row.how, row.dealt, row.device, kind(row.picture)) == (how, dealt, device, name):
            found[row.devices].append(row)
    return dict(sorted(found.items()))


def of_each_device(results, name, how, dealt, devices):
    """Returns {device: mean microseconds}."""
    numbers = [of_devices(results, name, how, dealt, str(device)).get(devices) for device in range(devices)]
    return {device: mean_us(rows) for device, rows in enumerate(numbers) if rows}
