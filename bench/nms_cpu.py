#!/usr/bin/env python3
"""Measures suppression on one core: facepipe's with AVX-512 and AVX2, OpenCV's NMSBoxes, and torchvision's nms.

All of them run on the same candidates, in one run of the script, on one core. Calls use eight variants of each set in
turn, so that the branch predictor can't learn one variant. A repetition is the mean of as many calls as take at least
20 ms. The script shows the median and the quartiles of the repetitions. facepipe's time includes everything from boxes
and scores in any order to indices in rank order. If torchvision is installed, only its operator is measured, without
the time to make the tensors.
"""
import json
import os
import tempfile
import time

import measurement
import nms_measurement
from nms_measurement import Timing

OURS = ["AVX3", "AVX2"]  # Highway's names; AVX3 is AVX-512
SHOWN = {"AVX3": "AVX-512", "AVX2": "AVX2"}
RULES = ["fast", "matrix", "diou", "voting", "soft linear", "soft gaussian"]
RULES_ON = "faces wide"


def arguments_given():
    options = nms_measurement.parser(__doc__, "bench_nms")
    options.add_argument("--repetitions", type=int, default=9, help="default: 9")
    options.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)),
                         help="that all run on (default: the last)")
    return options.parse_args()


def filter_of_names():
    """Returns Google Benchmark's filter for the measurements that the tables show."""
    ours = "|".join([*OURS, "OpenCV"])
    return f"^({ours})/|^({'|'.join(RULES)})/{RULES_ON}"


def measure_programs(arguments, list_file):
    """Returns the timings of facepipe's code and OpenCV's, by "who/set", and OpenCV's version."""
    output = measurement.run([
        arguments.program, "run", list_file, "--benchmark_format=json",
        f"--benchmark_filter={filter_of_names()}", "--benchmark_min_time=0.02",
        f"--benchmark_repetitions={arguments.repetitions}",
        "--benchmark_enable_random_interleaving=true"]).output
    result = json.loads(output)
    timings = {}
    for row in result["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        timing = timings.setdefault(row["run_name"], Timing([], int(row["kept"])))
        timing.microseconds.append(row["real_time"])
    return timings, result["context"]["opencv"]


def load_torch():
    modules = nms_measurement.load_torch()
    if modules:
        modules[1].set_num_threads(1)
    return modules


def mean_us(call, variants):
    """Returns the mean time of calls on all variants in turn, in microseconds. The calls take at least 20 ms
    together."""
    calls, begin = 0, time.perf_counter()
    while True:
        for variant in variants:
            call(variant)
        calls += len(variants)
        passed = time.perf_counter() - begin
        if passed >= 0.02:
            return passed / calls * 1e6


def measure_torchvision(modules, line, repetitions):
    _, threshold, *files = line.split("\t")
    variants = [nms_measurement.boxes_and_scores(modules, file, "cpu") for file in files]
    nms = modules[2].ops.nms
    call = lambda variant: nms(variant[0], variant[1], float(threshold))
    mean_us(call, variants[:1])
    times = [mean_us(call, variants) for _ in range(repetitions)]
    return Timing(times, len(call(variants[0])))


def usable_instruction_sets(timings):
    return [ours for ours in OURS if any(name.startswith(ours + "/") for name in timings)]


def libraries_table(names, timings, ours):
    """Returns a row for each set. It leaves out libraries that weren't measured."""
    peers = [peer for peer in ("OpenCV", "torchvision") if f"{peer}/{names[0]}" in timings]
    lines = [f"{'us a call':<20}{'kept':>6}"
             + "".join(f"{SHOWN.get(who, who):>12}{'':<19}" for who in ours + peers)]
    for name in names:
        row = [timings[f"{who}/{name}"] for who in ours + peers]
        kept = [str(timing.kept) for timing in row]
        differ = "" if len(set(kept)) == 1 else f"  kept: {', '.join(kept)}"
        lines.append(f"{name:<20}{kept[0]:>6}"
                     + "".join(f"{timing.shown(12):<31}" for timing in row) + differ)
    return "".join(line.rstrip() + "\n" for line in lines)


def ratios_table(names, timings, ours):
    peers = [peer for peer in ("OpenCV", "torchvision") if f"{peer}/{names[0]}" in timings]
    pairs = [(who, peer) for who in ours for peer in peers]
    lines = [f"{'times as fast':<20}"
             + "".join(f"{f'{SHOWN[who]} : {peer}':>23}" for who, peer in pairs)]
    for name in names:
        lines.append(f"{name:<20}" + "".join(
            f"{timings[f'{peer}/{name}'].median() / timings[f'{who}/{name}'].median():>23.1f}"
            for who, peer in pairs))
    return "".join(line.rstrip() + "\n" for line in lines)


def rules_table(names, timings):
    chosen = [name for name in names if name.startswith(RULES_ON)]
    lines = [f"{'us a call (kept)':<20}" + "".join(f"{rule:>22}" for rule in RULES)]
    for name in chosen:
        row = [timings[f"{rule}/{name}"] for rule in RULES]
        lines.append(f"{name:<20}" + "".join(
            f"{f'{timing.median():.1f} ({timing.kept})':>22}" for timing in row))
    return "".join(line.rstrip() + "\n" for line in lines)


def main():
    arguments = arguments_given()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {arguments.core})
    modules = load_torch()
    with tempfile.TemporaryDirectory() as folder:
        lines, list_file = nms_measurement.write_list(arguments, folder)
        timings, opencv = measure_programs(arguments, list_file)
        if modules:
            for line in lines:
                name = line.split("\t")[0]
                timings[f"torchvision/{name}"] = measure_torchvision(modules, line,
                                                                     arguments.repetitions)
    os.sched_setaffinity(0, cores)
    names = [line.split("\t")[0] for line in lines]
    sets = usable_instruction_sets(timings)
    torchvision = (f"torchvision {modules[2].__version__}, torch {modules[1].__version__}, one thread"
                   if modules else "no torchvision in this Python")
    facts = {"cores used": "one", "peers": f"OpenCV {opencv}, NMSBoxes on Rect2d; {torchvision}"}
    body = "\n".join([f"median (quartiles) of {arguments.repetitions} repetitions\n",
                      libraries_table(names, timings, sets), ratios_table(names, timings, sets),
                      f"Other rules and options, {RULES_ON}, with {SHOWN[sets[0]]}\n",
                      rules_table(names, timings)])
    measurement.write_result(arguments, facts, body)


if __name__ == "__main__":
    main()
