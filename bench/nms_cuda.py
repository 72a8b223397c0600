#!/usr/bin/env python3
"""Measures suppression on a CUDA device: facepipe's as one replay of a CUDA graph, and torchvision's nms.

Both run on the same candidates in device memory, in one run of the script. The times are measured by CUDA events, from
boxes, scores and their number to indices in rank order and their number. The script shows the median and the quartiles
of 200 single calls. facepipe leaves the number of kept boxes on the device. torchvision waits until the host has read
it, and launches kernels one after another; its time includes both. For one set, the result also shows how long
torchvision's kernels and copies take without the gaps between them (torch.profiler).
"""
import pathlib
import tempfile

import measurement
import nms_measurement
from nms_measurement import Timing

CALLS = 200
MOST_OF_MATRIX = 4096  # the rule "matrix" accepts at most this many candidates (D_max)


def measure_ours(arguments, verb, list_file):
    """Returns the timings of facepipe's suppression by (who, name, order)."""
    timings = {}
    command = [arguments.program, verb, list_file, "--replays", CALLS]
    for line in measurement.run(command).output.splitlines():
        who, name, order, kept, *times = line.split("\t")
        timings[who, name, order] = Timing([float(time) for time in times], int(kept))
    return timings


def write_small(lines, folder):
    """Writes a list of the sets of wide faces that are small enough for all rules."""
    chosen = []
    for line in lines:
        name = line.split("\t")[0]
        if name.startswith("faces wide") and int(name.split()[-1]) <= MOST_OF_MATRIX:
            chosen.append(line)
    list_file = pathlib.Path(folder) / "rules"
    list_file.write_text("\n".join(chosen) + "\n")
    return list_file


def load_torch():
    modules = nms_measurement.load_torch()
    return modules if modules and modules[1].cuda.is_available() else None


def measure_torchvision(modules, line):
    _, torch, torchvision = modules
    _, _, threshold, file = line.split("\t")
    boxes, scores = nms_measurement.boxes_and_scores(modules, file, "cuda")
    call = lambda: torchvision.ops.nms(boxes, scores, float(threshold))
    for _ in range(10):
        kept = call()
    torch.cuda.synchronize()
    times = []
    for _ in range(CALLS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return Timing(times, kept.numel())


def torchvision_kernels(modules, line):
    """Returns the microseconds that the kernels and copies of a call take, without the gaps between them."""
    _, torch, torchvision = modules
    _, _, threshold, file = line.split("\t")
    boxes, scores = nms_measurement.boxes_and_scores(modules, file, "cuda")
    calls = 20
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            torchvision.ops.nms(boxes, scores, float(threshold))
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profile.key_averages()) / calls


def greedy_table(lines, timings):
    rows = [f"{'us':<20}{'order':<10}{'kept':>6}{'ours':>10}{'':<19}{'torchvision':>10}{'':<18}times"]
    for line in lines:
        name, order, *_ = line.split("\t")
        ours = timings["greedy", name, order]
        row = f"{name:<20}{order:<10}{ours.kept:>6}{ours.shown(10):<29}"
        theirs = timings.get(("torchvision", name, order))
        if theirs:
            row += f"{theirs.shown(10):<29}{theirs.median() / ours.median():>6.1f}"
            row += "" if theirs.kept == ours.kept else f"  kept: {theirs.kept}"
            alone = timings.get(("kernels", name, order))
            row += f"  kernels alone {alone:.1f}" if alone else ""
        rows.append(row.rstrip())
    return "\n".join(rows) + "\n"


def rules_table(timings):
    rules = list(dict.fromkeys(who for who, *_ in timings))
    sets = list(dict.fromkeys((name, order) for _, name, order in timings))
    rows = [f"{'us (kept)':<20}{'order':<10}" + "".join(f"{rule:>18}" for rule in rules)]
    for name, order in sets:
        cells = [timings[rule, name, order] for rule in rules]
        rows.append(f"{name:<20}{order:<10}" + "".join(
            f"{f'{cell.median():.1f} ({cell.kept})':>18}" for cell in cells))
    return "\n".join(rows) + "\n"


def main():
    arguments = nms_measurement.parser(__doc__, "bench_nms_cuda").parse_args()
    modules = load_torch()
    with tempfile.TemporaryDirectory() as folder:
        lines, list_file = nms_measurement.write_list(arguments, folder, "as given")
        greedy = measure_ours(arguments, "run", list_file)
        if modules:
            for line in lines:
                name, order, *_ = line.split("\t")
                greedy["torchvision", name, order] = measure_torchvision(modules, line)
                if name.startswith("faces tight"):
                    greedy["kernels", name, order] = torchvision_kernels(modules, line)
        rules = measure_ours(arguments, "rules", write_small(lines, folder))
    peer = (f"torchvision {modules[2].__version__}, torch {modules[1].__version__}"
            if modules else "no torchvision with CUDA in this Python")
    body = "\n".join([
        f"greedy; median (quartiles) of {CALLS} calls\n", greedy_table(lines, greedy),
        "Other rules and options, faces wide\n", rules_table(rules)])
    measurement.write_result(arguments, {"device": measurement.gpu(), "peer": peer}, body)


if __name__ == "__main__":
    main()
