#!/usr/bin/env python3
"""Describes each kernel of facepipe's CUDA engine: its time, its share, and what limits it according to Nsight Compute
(ncu).

The times come from bench_detector_cuda --steps, which runs each kernel twenty times in a row. So data that fits in the
cache is in the cache. A step's share is its part of the sum of all steps. ncu measures the other columns on a single
run of the kernel: how much of their peaks the multiprocessors and the memory reach; how many issue slots are used; how
many of the possible warps are on a multiprocessor; what warps wait for.
"""
import csv
import io
import pathlib
import re
from dataclasses import dataclass

import measurement

SECTIONS = ["SpeedOfLight", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis", "Occupancy",
            "SchedulerStats", "WarpStateStats", "LaunchStats"]
SM = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
ISSUE = "sm__inst_executed.avg.per_cycle_active"
WARPS = "sm__warps_active.avg.pct_of_peak_sustained_active"
GRID, REGISTERS = "launch__grid_size", "launch__registers_per_thread"
STALL = re.compile(r"smsp__average_warps?_(?:latency_)?issue_?stalled_(\w+?)(?:_per_issue_active)?\.ratio")
NO_STALLS = {"selected", "not_selected"}
SCHEDULERS = 4  # in each multiprocessor; a scheduler issues at most one instruction a cycle


@dataclass
class Step:
    """Holds the measurements of one node of the plan. A node can have several kernels."""

    time_us: float
    kind: str
    node: str


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("model", type=pathlib.Path, metavar="MODEL.onnx", help="CenterFace or YuNet")
    options.add_argument("--size", default="1920x1080", help="of frames (default: %(default)s)")
    measurement.add_program(options, "bench_detector_cuda")
    options.add_argument("--ncu", default="ncu", help="Nsight Compute's program (default: %(default)s)")
    options.add_argument("--keep", type=pathlib.Path, metavar="FILE.csv", help="keep all that ncu said")
    return options.parse_args()


def steps_in(text):
    """Returns the rows of --steps that measure kernels. If a stem reads the picture itself, the preprocessing kernel
    doesn't run."""
    rows = re.findall(r"^ +([\d.]+) us  (\w+) *(\S.*)?$", text, re.MULTILINE)
    idle = {"together", "preprocess"} if any(kind == "Stem" for _, kind, _ in rows) else {"together"}
    return [Step(float(time), kind, node) for time, kind, node in rows if kind not in idle]


def number(row, metric):
    try:
        return float(row[metric].replace(",", ""))
    except (KeyError, ValueError):
        return float("nan")


def longest_stall(row):
    """Returns the reason for which warps wait longest, and its share of the waiting cycles."""
    waits = {found[1]: number(row, name) for name in row
             if (found := STALL.fullmatch(name)) and found[1] not in NO_STALLS}
    waits = {name: cycles for name, cycles in waits.items() if cycles == cycles}
    if not waits:
        return "-"
    name = max(waits, key=waits.get)
    return f"{name.replace('_', ' ')} {100 * waits[name] / sum(waits.values()):.0f} %"


def kernels_in(text):
    """Returns a dictionary for each kernel of ncu's raw page, in the order in which the kernels were launched."""
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[head:]))))
    return rows[1:]  # the first row holds units


def in_order(steps, kernels):
    """Pairs each step with one kernel, but the last step with all remaining kernels."""
    if len(kernels) < len(steps):
        raise SystemExit(f"{len(steps)} steps, but ncu saw {len(kernels)} kernels")
    return [(step, kernels[i:i + 1] if step is not steps[-1] else kernels[i:])
            for i, step in enumerate(steps)]


def rows_of(steps, kernels):
    together = sum(step.time_us for step in steps)
    yield (f"{'us':>8} {'share':>6} {'SM':>5} {'memory':>6} {'DRAM':>5} {'issue':>5} {'warps':>5} "
           f"{'blocks':>6} {'regs':>4}  waits most for             step")
    for step, of_step in in_order(steps, kernels):
        for i, row in enumerate(of_step):
            head = (f"{step.time_us:8.2f} {100 * step.time_us / together:5.1f}%" if i == 0 else " " * 15)
            node = step.node or "" if len(step.node or "") < 40 else step.node[:37] + "..."
            yield (f"{head} {number(row, SM):4.0f}% {number(row, MEMORY):5.0f}% {number(row, DRAM):4.0f}% "
                   f"{100 * number(row, ISSUE) / SCHEDULERS:4.0f}% {number(row, WARPS):4.0f}% "
                   f"{number(row, GRID):6.0f} {number(row, REGISTERS):4.0f}  {longest_stall(row):<26} "
                   f"{step.kind} {node}".rstrip())
    yield f"{together:8.2f} together"


def ncu_version(arguments):
    return "ncu " + measurement.run([arguments.ncu, "--version"]).output.strip().rpartition("Version ")[2]


def main():
    arguments = arguments_given()
    bench = [arguments.bench_detector_cuda, arguments.model, "--sizes", arguments.size]
    steps = steps_in(measurement.run([*bench, "--steps"]).output)  # the plan is saved for ncu's run
    sections = [word for name in SECTIONS for word in ("--section", name)]
    raw = measurement.run([arguments.ncu, "--csv", "--page", "raw", "--clock-control", "none", *sections,
                           *bench, "--once"]).output
    if arguments.keep:
        arguments.keep.write_text(raw)
    facts = {"device": measurement.gpu(), "profiler": ncu_version(arguments),
             "columns": "of peak: SM (busiest pipe or issue), memory (busiest of L1, L2, DRAM), DRAM; issue "
                        "slots taken; warps there"}
    measurement.write_result(arguments, facts, "\n".join(rows_of(steps, kernels_in(raw))) + "\n")


if __name__ == "__main__":
    main()
