"""Runs the measuring programs of channel features on a picture, and reads their output."""
import json
import statistics
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import measurement
from acf.tables import NppTime, Time
from csv_tables import spread


@dataclass
class Case:
    """Identifies a model, a picture, and the sizes of objects that are searched."""

    model: Path
    scales: str  # "one" or "all"
    picture: object  # inputs.Picture

    def contents(self):
        return json.loads(self.model.read_text(encoding="utf-8"))

    def sizes(self):
        """Returns the least and the greatest size of objects; 0 means no limit."""
        window = self.contents()["window"]
        return (0, max(window["width"], window["height"])) if self.scales == "one" else (0, 0)

    def coarse(self, arguments):
        """Returns the options for the coarse detector, which finds faces, if the model finds faces, too."""
        is_face = self.contents()["class"] == "face"
        return ["--coarse", arguments.acf_coarse] if arguments.acf_coarse and is_face else []

    def row(self, who, part, times, threads=None, trees=None, windows=None, alive=None, passed=None):
        """Returns a row of times in milliseconds, one for each repeat."""
        return Time(self.picture.name, self.contents()["class"], self.scales, who, part, threads, trees, windows,
                    alive, passed, len(times), *spread(times))


def cases(models, pictures):
    return [Case(model, scales, picture) for model in models for scales in ("one", "all")
            for picture in pictures.values()]


def on_cpu(arguments, case, threads):
    """Measures features, evaluation and their total. The first call of each run is a warm-up."""
    times = defaultdict(list)
    for _ in range(arguments.repeats):
        output = measurement.run([arguments.bench_acf, case.model, case.picture.nv12(), case.picture.shown_size(),
                                  *case.sizes(), threads, arguments.cpu_calls + 1]).output
        calls, windows, passed = read_cpu(output, arguments.cpu_calls + 1)
        total = [all_of_it for all_of_it, _ in calls[1:]]
        evaluation = [sliding for _, sliding in calls[1:]]
        times["total"].append(statistics.median(total))
        times["evaluation"].append(statistics.median(evaluation))
        times["features"].append(statistics.median(a - b for a, b in zip(total, evaluation)))
    return [case.row("CPU", part, values, threads=threads, windows=windows, passed=passed)
            for part, values in times.items()]


def read_cpu(output, calls):
    """Returns [(total ms, ms in which windows slide)], the number of windows, and the number of accepted windows."""
    lines = output.splitlines()
    times = [tuple(map(float, line.split())) for line in lines[:calls]]
    windows = int(lines[calls].split()[4])  # "8 scales, 9 cells, 7 windows"
    return times, windows, len(lines) - calls - 1


def on_cuda(arguments, case, *options):
    """Measures our detector, the features as published, and the variants."""
    times, told = defaultdict(list), {}
    for _ in range(arguments.repeats):
        output = measurement.run([
            arguments.bench_acf_variants, case.model, case.picture.nv12(), case.picture.shown_size(),
            *case.sizes(), "--replays", arguments.replays, "--trees", arguments.trees, *case.coarse(arguments),
            *options]).output
        for line in output.splitlines():
            who, part, trees, windows, alive, passed, *calls = line.split("\t")
            key = who, part, int(trees) or None
            times[key].append(statistics.median(map(float, calls)) / 1000)
            told[key] = {"windows": int(windows) or None, "passed": int(passed) if int(windows) else None,
                         "alive": int(alive) if int(trees) or int(alive) else None}
    return [case.row(who, part, values, trees=trees, **told[who, part, trees])
            for (who, part, trees), values in times.items()]


def by_npp(arguments, picture):
    """Measures the steps for which the paper calls NPP: by NPP, and by the kernels that replace it."""
    times, differences = defaultdict(list), {}
    for _ in range(arguments.repeats):
        output = measurement.run([arguments.bench_acf_npp, picture.nv12(), picture.shown_size(), "--replays",
                                  arguments.replays]).output
        for line in output.splitlines():
            step, who, mean, largest, *calls = line.split("\t")
            times[step, who].append(statistics.median(map(float, calls)) / 1000)
            differences[step, who] = float(mean), float(largest)
    return [NppTime(picture.name, *key, *differences[key], len(values), *spread(values))
            for key, values in times.items()]
