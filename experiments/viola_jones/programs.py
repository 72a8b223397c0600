"""Runs the measuring programs of build/bench, and reads their output."""
import statistics
from collections import defaultdict

import measurement
from csv_tables import spread
from viola_jones import inputs, published
from viola_jones.tables import DeviceTime, Frame, Grid, ScaleTime, Stage, Work

SIZE = "x".join(map(str, inputs.SIZE))
ON_A_PART = ("--multiprocessors", published.PART)


def lines(command):
    """Returns the fields of each line of a program's output."""
    return [line.split("\t") for line in measurement.run(command).output.splitlines()]


def grids(arguments):
    return [Grid(int(scale), float(factor), *map(int, rest)) for scale, factor, *rest in lines(
        [arguments.bench_viola_jones, "scales", arguments.cascade, SIZE])]


def work(arguments, pictures):
    """Returns rows of Work and of Stage, and the plain loop's milliseconds by picture."""
    rows, left, took = [], defaultdict(int), defaultdict(float)
    for picture, scale, windows, stumps, found, milliseconds, *survivors in lines(
            [arguments.bench_viola_jones, "work", arguments.cascade, SIZE, *pictures]):
        rows.append(Work(picture, int(scale), int(windows), int(stumps), int(found)))
        took[picture] += float(milliseconds)
        for stage, count in enumerate(survivors):
            left[picture, stage] += int(count)
    return rows, [Stage(*key, count) for key, count in left.items()], took


def on_cuda(arguments, verb, pictures, *options, size=SIZE):
    """Returns the lines of one verb for all repeats. The program runs once for each repeat."""
    return [line for _ in range(arguments.repeats) for line in lines(
        [arguments.bench_viola_jones_cuda, verb, arguments.cascade, size, *pictures, "--replays",
         arguments.replays, *options])]


def over_repeats(told, fields):
    """Returns {key: (other fields of the last repeat's line, spread of medians)}.

    `fields` is (number of fields in a key, number of other fields before the times).
    """
    keys, others = fields
    medians, rest = defaultdict(list), {}
    for line in told:
        key = tuple(line[:keys])
        medians[key].append(statistics.median(map(float, line[keys + others:])))
        rest[key] = line[keys:keys + others]
    return {key: (rest[key], (len(values), *spread(values))) for key, values in medians.items()}


def frames(arguments, pictures):
    return frames_of(on_cuda(arguments, "run", pictures))


def part_frames(arguments, pictures):
    return frames_of(on_cuda(arguments, "run", pictures, *ON_A_PART))


def choices(arguments, pictures):
    return frames_of(on_cuda(arguments, "choices", pictures))


def frames_of_sizes(arguments, pictures):
    """Returns the Frames of pictures. `pictures` is {size: file}."""
    return [frame for (width, height), picture in pictures.items()
            for frame in frames_of(on_cuda(arguments, "run", [picture], size=f"{width}x{height}"))]


def frames_of(told):
    told = over_repeats(told, (3, 1))
    return [Frame(picture, who, copies, int(found), *times)
            for (who, copies, picture), ([found], times) in told.items()]


def scale_times(arguments, pictures, *options):
    told = over_repeats(on_cuda(arguments, "scales", pictures, *options), (3, 2))
    return [ScaleTime(picture, who, int(scale), float(warps), int(multiprocessors), *times)
            for (who, scale, picture), ([warps, multiprocessors], times) in told.items()]


def part_scales(arguments, pictures):
    return scale_times(arguments, pictures, *ON_A_PART)


def device_times(told):
    return [DeviceTime(picture, how, dealt, int(devices), device, int(found), *times)
            for (how, dealt, devices, device, picture), ([found], times) in
            over_repeats(told, (5, 1)).items()]


def devices(arguments, pictures):
    return device_times(on_cuda(arguments, "devices", pictures))


def mpi(arguments, pictures, processes):
    """Runs `processes` processes, each with one device."""
    return device_times([line for _ in range(arguments.repeats) for line in lines(
        [*arguments.mpirun.split(), "-n", processes, arguments.bench_viola_jones_mpi, "mpi",
         arguments.cascade, SIZE, *pictures, "--replays", arguments.replays])])


def ours_on_cpu(arguments, picture):
    """Returns a Frame of our detector on the CPU, at the paper's scales."""
    medians = []
    for _ in range(arguments.repeats):
        told = measurement.run([arguments.bench_cascade, arguments.cascade, picture, SIZE, inputs.RATIO,
                                inputs.LEAST, measurement.cores(), 6]).output.splitlines()
        times = [float(line) for line in told[1:6]]  # the first run makes tables
        medians.append(1000 * statistics.median(times))
    return Frame(picture.stem, f"facepipe, CPU ({measurement.cores()} threads)", "", len(told) - 6,
                 len(medians), *spread(medians))
