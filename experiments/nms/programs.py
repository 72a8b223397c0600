"""Runs the measuring programs of build/bench on sets of candidates, and reads their output."""
import json
import re
import statistics
from collections import defaultdict

import measurement
from csv_tables import spread
from nms.candidates import OVERLAP, write_files
from nms.tables import Energy, Timing

# Highway's names of instruction sets, the best first.
INSTRUCTION_SETS = {"AVX3_SPR": "AVX-512", "AVX3_ZEN4": "AVX-512", "AVX3_DL": "AVX-512", "AVX3": "AVX-512",
                    "AVX2": "AVX2", "SSE4": "SSE4", "SSSE3": "SSSE3", "SSE2": "SSE2", "SVE2": "SVE2",
                    "SVE": "SVE", "NEON": "NEON", "NEON_WITHOUT_AES": "NEON", "SCALAR": "scalar",
                    "EMU128": "scalar"}
PAPERS_VERBS = ("matrix", "grid", "printed", "steps", "cores", "bitmask", "variations")
CPU_RULES = ("fast", "matrix")
PARTS = ("memset", "map", "reduce", "both", "all", "kernel", "allocation", "copy", "host", "together", "sort")


def listed(sets, folder, *columns):
    """Writes the file that lists the sets for a program. `columns` are written between name and threshold."""
    files = write_files(sets, folder)
    lines = ["\t".join([name, *columns, str(OVERLAP), str(file)])
             for name, file in files.items()]
    path = folder / "list"
    path.write_text("".join(line + "\n" for line in lines))
    return path


def on_cpu(arguments, sets, folder):
    """Returns timings of OpenCV's NMSBoxes and of facepipe's suppression on one core."""
    names = "|".join([*INSTRUCTION_SETS, "OpenCV", *CPU_RULES])
    output = measurement.run([
        arguments.bench_nms, "run", listed(sets, folder), "--benchmark_format=json",
        f"--benchmark_filter=^({names})/", f"--benchmark_min_time={arguments.cpu_time}",
        f"--benchmark_repetitions={arguments.repeats}",
        "--benchmark_enable_random_interleaving=true"]).output
    times, kept = defaultdict(list), {}
    for row in json.loads(output)["benchmarks"]:
        if row["run_type"] == "iteration":
            times[row["run_name"]].append(row["real_time"])
            kept[row["run_name"]] = int(row["kept"])
    present = {name.split("/")[0] for name in times}
    best = next(name for name in INSTRUCTION_SETS if name in present)
    shown = {best: f"greedy, CPU ({INSTRUCTION_SETS[best]})", "OpenCV": "OpenCV greedy, CPU",
             "fast": "fast, CPU", "matrix": "matrix as published, CPU"}
    by_name = {one.name(): one for one in sets}
    rows = []
    for run_name, values in times.items():
        who, _, name = run_name.partition("/")
        if who in shown:
            rows.append(row_of(by_name[name], shown[who], kept[run_name], values))
    return rows


def row_of(one, who, kept, times, part="", k=None, d_max=None, multiprocessors=None):
    median, low, high = spread(times)
    return Timing(one.input, one.index, len(one.faces), who, part, k, d_max, multiprocessors, kept,
                  len(times), median, low, high)


def on_cuda(arguments, verb, sets, folder, *options):
    """Returns the timings of one verb of bench_nms_cuda or bench_nms_papers. The program runs once for each repeat."""
    program = arguments.bench_nms_papers if verb in PAPERS_VERBS else arguments.bench_nms_cuda
    return over_repeats(arguments, [program, verb, listed(sets, folder, "raster"), *options], sets, "CUDA")


def papers_on_cpu(arguments, verb, sets, folder):
    """Returns the timings of one verb of bench_nms_papers_cpu."""
    return over_repeats(arguments, [arguments.bench_nms_papers_cpu, verb, listed(sets, folder, "raster")], sets, "CPU")


def over_repeats(arguments, command, sets, where):
    by_name = {one.name(): one for one in sets}
    medians, kept = defaultdict(list), {}
    for _ in range(arguments.repeats):
        output = measurement.run([*command, "--replays", str(arguments.replays)]).output
        for who, name, count, times in read_lines(output):
            one = by_name[name]
            medians[who, one.name()].append(statistics.median(times))
            kept[who, one.name()] = count
    rows = []
    for (who, name), values in medians.items():
        rule, settings = read_who(who)
        rows.append(row_of(by_name[name], f"{rule}, {where}", kept[who, name], values, **settings))
    return rows


def energy(arguments, program, sets, folder, where, *options):
    """Returns the energy of suppression and of the idle device, measured by the verb energy of `program`."""
    command = [program, "energy", listed(sets, folder, "raster"), "--seconds", arguments.energy_seconds, *options]
    by_name = {one.name(): one for one in sets}
    loops = defaultdict(list)
    for _ in range(arguments.repeats):
        for line in measurement.run(command).output.splitlines():
            who, name, _, kept, calls, seconds, joules = line.split("\t")
            loops[who, name].append((int(kept), int(calls), float(seconds), float(joules)))
    rows = []
    for (who, name), values in loops.items():
        rule, settings = read_who(who)
        one, calls = by_name[name], statistics.median(count for _, count, _, _ in values)
        each = [1e6 * joules / count for _, count, _, joules in values if count]
        watts = [joules / seconds for _, _, seconds, joules in values]
        rows.append(Energy(one.input, one.index, len(one.faces), f"{rule}, {where}", settings["part"], settings["k"],
                           values[0][0], len(values), int(calls), *spread(watts),
                           *(spread(each) if each else (None, None, None))))
    return rows


def read_lines(output):
    """Returns (who, name, kept, times) of each line: who, name, order, kept and times, separated by tabs."""
    for line in output.splitlines():
        who, name, _, kept, *times = line.split("\t")
        yield who, name, int(kept), [float(time) for time in times]


def read_who(who):
    """Splits the name of a measurement, such as "matrix k=32 map", into the rule and the settings."""
    settings = {"part": "", "k": None, "d_max": None, "multiprocessors": None}
    for name, pattern in (("d_max", r"\bd_?max[ =](\d+)"), ("k", r"\bk[ =](\d+)"),
                          ("multiprocessors", r"\bon (\d+) multiprocessors?")):
        found = re.search(pattern, who, re.IGNORECASE)
        if found:
            settings[name] = int(found[1])
            who = who.replace(found[0], " ")
    words = who.replace(",", " ").split()
    for part in PARTS:
        if part in words:
            settings["part"] = part
            words.remove(part)
    rule = " ".join(words) or "matrix"  # the names of the matrix' parts needn't contain "matrix"
    if rule == "matrix" and settings["k"] is not None and not settings["part"]:
        settings["part"] = "both"
    return rule, settings
