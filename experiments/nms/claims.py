"""Judges the papers' claims by our tables. A text contains the measured numbers, and is "" if there are none."""
import math
import statistics

import verdicts
from markdown import table
from nms import published
from results import of, where


def section(results, beside=()):
    return verdicts.section("The papers' claims", CLAIMS, results, beside)


def greedy(results):
    """"We do not modify the inner workings of ... greedy NMS" (2020, section 8)."""
    rows = results.differences
    if not rows:
        return ""
    lines = []
    for name in dict.fromkeys(row.input for row in rows):
        of_input = [row for row in rows if row.input == name]
        for measure, shown in (("iou", "IoU"), ("published", "as published")):
            lines.append((results.label(name), shown, *difference(of_input, measure)))
    verdict = "not so" if any(row.differ_iou or row.differ_published for row in rows) else \
        "no picture here shows otherwise, though the rules differ"
    return (f'* **"Do not modify the inner workings of ... greedy NMS": {verdict}.** In the matrix a box falls '
            "to any better one that overlaps it; in greedy suppression only to one that is itself kept. Both "
            "of the same candidates, at a threshold of 0.3, by `rules.py`:\n\n"
            + table(("input", "overlap", "pictures", "of them with other boxes kept", "greedy keeps",
                     "boxes that only one of the two keeps"), lines))


def difference(rows, measure):
    """Returns four numbers: pictures, pictures that differ, boxes that greedy keeps, and boxes that only one of the
    rules keeps."""
    differ = [getattr(row, f"differ_{measure}") for row in rows]
    kept = sum(getattr(row, f"greedy_{measure}") for row in rows)
    return (len(rows), sum(1 for count in differ if count), kept,
            f"{sum(differ)} ({sum(differ) / max(kept, 1):.1%})")


def accuracy(results):
    """"Our parallel algorithm remains highly competitive", because greedy isn't modified (2020, section 8)."""
    of_rule = {row.rule: row for row in results.accuracy}
    exact = of_rule.pop("greedy", None)
    others = [row for name, row in of_rule.items() if name.startswith(("matrix", "fast"))]
    if not exact or not others:
        return ""
    verdict = "less than greedy's" if min(row.hard for row in others) < exact.hard else "greedy's here"
    return (f"* **Accuracy \"as we do not modify\" greedy: {verdict}.** Greedy has an average precision of "
            f"{exact.hard:.3f} on WIDER FACE hard; with the papers' rule it is "
            + ", ".join(f"{row.hard:.3f} ({row.hard - exact.hard:+.3f}; {row.rule})" for row in others) + ".\n")


def linear(results):
    """"The theoretical asymptotic time complexity ... is linear" (2020, sections 1 and 4)."""
    matrix = of(results.growing, "matrix, CUDA", part="map", k=32)
    exact = of(results.growing, "greedy, CUDA")
    if not matrix or not exact:
        return ""
    most = max(row.candidates for row in matrix)
    upper = lambda rows: [row for row in rows if row.candidates >= most / 2]
    slope, exact_slope = growth(upper(matrix)), growth(upper(exact))
    if slope is None or exact_slope is None:
        return ""
    few, many = (min(upper(matrix), key=lambda row: row.candidates), max(matrix, key=lambda row: row.candidates))
    verdict = "not so here" if slope > 1.1 else "not contradicted by time in this range, but by work"
    return (f"* **Linear time: {verdict}.** It needs as many processors as candidates; the work is quadratic. "
            f"From {few.candidates} to {many.candidates} candidates the map kernel goes from "
            f"{few.median_us:.1f} to {many.median_us:.1f} µs, as the power {slope:.2f} of their number, a "
            f"launch's fixed time included; exact greedy as the power {exact_slope:.2f}.\n")


def work(results):
    """"Work-efficient" (2020, title)."""
    lines = []
    for size in sorted({row.candidates for row in results.sizes}):
        matrix = of(results.sizes, "matrix, CUDA", part="both", k=32, candidates=size)
        exact = of(results.sizes, "greedy, CUDA", candidates=size)
        if matrix and exact:
            lines.append((size, f"{size * size:,}", f"{size * exact[0].kept:,}",
                          f"{matrix[0].median_us / exact[0].median_us:.2f}"))
    if not lines:
        return ""
    return ("* **Work-efficient: not in comparisons.** The matrix has a cell for each pair; sequential greedy "
            "compares a candidate with those kept, at most.\n\n"
            + table(("candidates", "cells of the matrix", "candidates x kept",
                     "time of map and reduce : of exact greedy, this GPU"), lines))


def beats(results):
    """"The GPU generally beats CPU cores" (2016, section 5; 2020, Fig. 7)."""
    cpus = [who for who in results.names("growing") if who.startswith(("OpenCV", "greedy, CPU"))]
    gpus = {"map and reduce": of(results.growing, "matrix, CUDA", part="both", k=32),
            "exact greedy": of(results.growing, "greedy, CUDA")}
    lines = [(shown, *(first_faster(rows, of(results.growing, who)) for who in cpus))
             for shown, rows in gpus.items() if rows]
    if not lines or not cpus:
        return ""
    crowd = results.facts["inputs"].get("crowd", {}).get("candidates", [None] * 3)[1]
    told = f" ({results.label('crowd')} has {crowd:.0f} in the median frame)" if crowd else ""
    always = all(cell.startswith("all") for line in lines for cell in line[1:])
    return (f"* **The GPU beats the CPU: {'holds' if always else 'for enough candidates'}.** From how many candidates "
            f"on it is the faster one is shown below, by the pictures of {results.label('growing')}{told}. Each has its "
            "candidates where it works; in a pipeline on the GPU, they would have to be copied to the CPU first, and the "
            "kept ones back.\n\n"
            + table(("on the GPU", *cpus), lines))


def first_faster(rows, others):
    """Returns the number of candidates from which on each row is faster than the row of `others` for the same
    picture."""
    of_others = {row.index: row.median_us for row in others}
    both = sorted((row for row in rows if row.index in of_others), key=lambda row: row.candidates)
    slower = [row.candidates for row in both if row.median_us >= of_others[row.index]]
    if not slower:
        return f"all ({both[0].candidates} and more)"
    later = [row.candidates for row in both if row.candidates > slower[-1]]
    return str(later[0]) if later else f"none (up to {both[-1].candidates})"


def cores(results):
    """"Far more important to increase ... cores rather than ... bandwidth" (2020, section 6)."""
    lines = []
    for shown, who, wanted in (("map", "matrix, CUDA", {"part": "map"}),
                               ("reduce", "matrix, CUDA", {"part": "reduce"}),
                               ("exact greedy", "greedy, CUDA", {})):
        rows = sorted(of(results.cores, who, **wanted), key=lambda row: row.multiprocessors)
        if len(rows) > 1:
            first, last, middle = rows[0], rows[-1], half(rows)
            lines.append((shown, *(f"{one.multiprocessors} to {last.multiprocessors} (x "
                                   f"{last.multiprocessors / one.multiprocessors:.1f}): x "
                                   f"{one.median_us / last.median_us:.2f}" for one in (first, middle))))
    if not lines:
        return ""
    return ('* **"Far more important to increase ... the amount of GPU cores rather than ... memory bandwidth": '
            "can't be judged.** The bandwidth can't be varied here; the multiprocessors can. How many times as fast "
            "more of them make it:\n\n" + table(("", "from the fewest to all", "from half to all"), lines))


def half(rows):
    """Returns the row with about half of the multiprocessors."""
    all_of_them = rows[-1].multiprocessors
    return min(rows, key=lambda row: abs(row.multiprocessors - all_of_them / 2))


def partitions(results):
    """The best k is 32 (2020, Fig. 11; 2016, Fig. 6)."""
    lines = [line for rows in reductions(results) for line in [best_k(results, rows)] if line]
    if not lines:
        return ""
    best = [line[-1] for line in lines]
    holds = sum(1 for k in best if k == 32)
    verdict = ("holds here" if holds == len(best) else
               f"not here, where k = {' or '.join(map(str, sorted(set(best))))} is" if not holds else
               by_chip(lines))
    ks = sorted({k for line in lines for k in line[4]})
    return (f"* **k = 32 is the fastest reduction: {verdict}.** Reduce kernel alone, µs by k:\n\n"
            + table(("kernel", "input", "multiprocessors", "candidates", *(f"k {k}" for k in ks), "fastest at k"),
                    [(*line[:4], *(f"{line[4][k]:.1f}" if k in line[4] else "" for k in ks), line[5])
                     for line in lines]))


def by_chip(lines):
    """Returns for each kernel and part of the chip in how many cases k = 32 is the best."""
    best = {}
    for kernel, _, multiprocessors, *_, k in lines:
        best.setdefault(kernel, {}).setdefault(multiprocessors, []).append(k == 32)
    return "; ".join(f"{kernel}, " + ", ".join(f"in {sum(found)} of {len(found)} cases on {count}"
                                               for count, found in of_kernel.items())
                     for kernel, of_kernel in best.items()) + " multiprocessors"


def reductions(results):
    """Returns groups of rows of the reduce kernel. A group has one kernel, input, size and part of the chip, and
    several k."""
    largest = {name: max((row.candidates for row in results.chips if row.input == name), default=None)
               for name in dict.fromkeys(row.input for row in results.chips)}
    groups = {}
    for row in results.chips:
        if row.part == "reduce" and row.candidates == largest[row.input]:
            groups.setdefault((row.who, row.input, row.candidates, row.multiprocessors), []).append(row)
    groups = {key: rows for key, rows in groups.items() if len(rows) > 1}
    if groups:
        return list(groups.values())
    rows = of(results.reduce, "matrix, CUDA", part="reduce")
    most = max((row.candidates for row in rows), default=None)
    return [[row for row in rows if row.candidates == most]] if rows else []


def best_k(results, rows):
    """Returns kernel, input, multiprocessors, candidates, {k: µs}, and the fastest k. Returns None if k = 32 is
    missing."""
    times = {row.k: row.median_us for row in rows}
    if 32 not in times:
        return None
    first = rows[0]
    source = f"best of {results.label('growing')}" if first.input == "sizes" else results.label(first.input)
    return (KERNELS.get(first.who, first.who), source, first.multiprocessors or "all",
            first.candidates, times, min(times, key=times.get))


KERNELS = {"matrix, CUDA": "ours", "printed, CUDA": "as printed"}


def constant_reduction(results):
    """"Reduce kernel latency per frame remains roughly constant", and that of the map "seems proportional" (2020, Fig.
    13)."""
    lines, slopes = [], []
    for shown, rows in (("ours", results.mosaic), ("as printed", results.printed)):
        for k in sorted({row.k for row in rows if row.k and row.part == "reduce" and row.input == "mosaic"}):
            who = "matrix, CUDA" if shown == "ours" else "printed, CUDA"
            frames = of(rows, who, part="reduce", k=k, input="mosaic")
            slope = growth(frames)
            if slope is not None:
                slopes.append(slope)
                lines.append((shown, f"reduce, k {k}", *ends(frames), f"{slope:.2f}"))
        mapped = of(rows, "matrix, CUDA", part="map", k=32, input="mosaic") or of(rows, "printed, CUDA", part="map",
                                                                                 input="mosaic")
        if growth(mapped) is not None:
            lines.append((shown, "map", *ends(mapped), f"{growth(mapped):.2f}"))
    if not slopes:
        return ""
    verdict = "holds" if max(slopes) < 0.25 else "not so" if min(slopes) >= 0.25 else "for some k alone"
    return (f"* **The reduction takes roughly constant time, frame after frame of mosaic: {verdict}.** Power of the "
            "number of candidates with which time grows (0: constant; 1: proportional):\n\n"
            + table(("kernels", "", "fewest candidates: µs", "most candidates: µs", "power"), lines))


def ends(rows):
    """Returns the number of candidates and the time of two pictures: that with the fewest and that with the most
    candidates."""
    by_count = sorted(rows, key=lambda row: row.candidates)
    return tuple(f"{row.candidates}: {row.median_us:.1f}" for row in (by_count[0], by_count[-1]))


def doubled_cores(results):
    """"Increasing by a factor of 2 the amount of cores ... reduces ... by a factor of 3" (2020, section 6)."""
    lines, factors = [], []
    for who in ("matrix, CUDA", "printed, CUDA"):
        rows = {}
        for row in of(results.chips, who, part="both", k=32, input="sizes"):
            if row.multiprocessors:
                rows[row.candidates, row.multiprocessors] = row.median_us
        for (candidates, few), slow in sorted(rows.items()):
            fast = rows.get((candidates, 2 * few))
            if fast and candidates == max(count for count, _ in rows):
                factors.append(slow / fast)
                lines.append((KERNELS[who], candidates, f"{few} to {2 * few}", f"{slow:.1f}", f"{fast:.1f}",
                              f"{slow / fast:.2f}"))
    if not lines:
        return ""
    verdict = "holds" if min(factors) >= 3 else "not so" if max(factors) < 3 else "sometimes"
    few, many, times = published.DOUBLED_CORES
    return (f"* **Twice the cores, {times} times as fast: {verdict}.** Published for a {few} and a {many}, which "
            "differ in more than cores. The same chip with twice the multiprocessors, map and reduce, k 32:\n\n"
            + table(("kernels", "candidates", "multiprocessors", "µs", "µs", "times as fast"), lines))


def networks(results):
    """"14x-40x speed up when compared to ... methods that require learning" (2020, abstract, section 8)."""
    ours = {row.candidates: row.median_us for row in of(results.sizes, "matrix, CUDA", part="both", k=32)
            if row.candidates in (67, 1027)}
    if not ours:
        return ""
    counts = sorted(ours)
    lines = [(network, ms, place, *(f"{1000 * ms / ours[count]:.0f}" for count in counts))
             for network, (ms, place) in published.NETWORKS_MS.items()]
    own_ms, own_count = published.OWN_FOR_NETWORKS
    return ("* **14 to 40 times as fast as networks: can't be judged.** The papers divide published times by their "
            f"own {own_ms} ms for {own_count} objects on a Tegra; nothing ran on one machine, or on one picture. "
            "Neither did it here: published times divided by map and reduce on this GPU, k 32.\n\n"
            + table(("network", "published, ms", "where", *(f"times ours of {count} candidates" for count in counts)),
                    lines))


def chip_of_shi(results):
    """A chip for suppression "merges 1000 candidate boxes in 12.79 us by consuming only 6.142 mW" (2020, section 2)."""
    count, microseconds, milliwatts = published.SHI
    wanted = lambda row: row.who in ("greedy, CUDA", "matrix, CUDA", "fast, CUDA") or row.who.startswith("greedy, CPU")
    times = [row for row in results.sizes if row.candidates == count and row.part in ("", "both") and wanted(row)]
    if not times:
        return ""
    joules = {(row.who, row.part): row for row in results.energy if row.candidates == count and row.call_uj}
    lines = [("chip of Shi et al., published", f"{microseconds}", f"{microseconds * milliwatts / 1e6:.4f}")]
    for row in times:
        energy = joules.get((row.who, row.part)) or joules.get((row.who.split(" (")[0], row.part))
        lines.append((row.who, f"{row.median_us:.1f}", f"{energy.call_uj:.0f}" if energy else "not measured"))
    fastest = min(times, key=lambda row: row.median_us)
    verdict = "this machine is the faster one" if fastest.median_us < microseconds else "the chip is the faster one"
    return (f"* **A chip of its own suppresses {count} boxes in {microseconds} µs: {verdict}**, but with very much "
            "more energy. The chip's time says nothing of copies to it.\n\n"
            + table(("who", f"µs for {count} candidates", "µJ a suppression"), lines))


def steps_at_k4(results):
    """"The latency spikes at ... 1024 and 2048 detections" at k = 4 (2016, Fig. 4)."""
    lines, jumps = [], []
    for shown, rows in step_series(results).items():
        for place in published.STEPS_2016:
            jump = jump_at(rows, place)
            if jump is not None:
                below, at_place, above = jump
                jumps.append(at_place > 2 * max(below, above, 0.01))
                lines.append((shown, place, *(f"{growth_there:+.1%}" for growth_there in jump)))
    if not lines:
        return ""
    verdict = "holds" if all(jumps) else "not so" if not any(jumps) else "for some kernels alone"
    return (f"* **At k = 4 time jumps at 1,024 and 2,048 detections: {verdict}.** A block has 1,024 threads then. By "
            "how much the mean of 100 candidates more differs from the mean before; a jump is more than twice what is "
            "just below and just above, and more than 2%:\n\n"
            + table(("kernels", "detections", "just below", "at the place", "just above"), lines))


def step_series(results):
    """Returns {name: rows} of k = 4 on the growing pictures."""
    found = {"ours, reduce": of(results.growing, "matrix, CUDA", part="reduce", k=4),
             "ours, map and reduce": of(results.growing, "matrix, CUDA", part="both", k=4),
             "as printed, reduce": of(results.printed, "printed, CUDA", part="reduce", k=4, input="growing"),
             "as printed, map and reduce": of(results.printed, "printed, CUDA", part="both", k=4, input="growing")}
    return {name: rows for name, rows in found.items() if rows}


def jump_at(rows, place, width=100):
    """Returns by how much times grow from one interval of candidate counts to the next: below, at and above `place`."""
    means = []
    for low in (place - 2 * width, place - width, place, place + width):
        times = [row.median_us for row in rows if low < row.candidates <= low + width]
        if not times:
            return None
        means.append(statistics.mean(times))
    return tuple(later / earlier - 1 for earlier, later in zip(means, means[1:]))


def quasi_constant(results):
    """"A quasi-constant GPU latency ... less than 1024" detections, at k = 4 (2016, Fig. 5)."""
    lines, spreads = [], []
    for shown, rows in (("ours", of(results.crowd, "matrix, CUDA", part="both", k=4)),
                        ("as printed", of(results.printed, "printed, CUDA", part="both", k=4, input="crowd"))):
        if len(rows) > 1:
            times = sorted(row.median_us for row in rows)
            spreads.append(times[-1] / times[0])
            lines.append((shown, len(rows), f"{min(r.candidates for r in rows)} to {max(r.candidates for r in rows)}",
                          f"{times[0]:.1f} / {statistics.median(times):.1f} / {times[-1]:.1f}",
                          f"{times[-1] / times[0]:.2f}"))
    if not lines:
        return ""
    verdict = "holds" if max(spreads) < 1.25 else "not so" if min(spreads) >= 1.25 else "for one of the two alone"
    return (f"* **Quasi-constant time on a video with less than 1,024 detections a frame, k = 4: {verdict}** (a "
            f"quarter from the least to the most counts as constant). {results.label('crowd')}, map and reduce:\n\n"
            + table(("kernels", "frames", "candidates", "µs: least / median / most", "most : least"), lines))


def energy(results):
    """The papers measure embedded chips because of their low power, but measure no energy."""
    rows = [row for row in results.energy if row.call_uj]
    if not rows:
        return ""
    most = max(row.candidates for row in rows)
    of_most = [row for row in rows if row.candidates == most]
    least = min(of_most, key=lambda row: row.call_uj)
    return (f"* **Low power: can't be judged, because the papers measure none.** {most} candidates take the least "
            f"energy here by {least.who}{', ' + least.part if least.part else ''}: {least.call_uj:.0f} µJ.\n")


def greedy_in_the_pipeline(results):
    """Not a claim of the papers: compares their rule with exact greedy, which facepipe uses."""
    lines, slower = [], []
    for name in dict.fromkeys(row.input for row in results.pipeline):
        exact, matrix = (where(results.pipeline, input=name, rule=rule) for rule in ("greedy", "matrix as published"))
        alone = of(getattr(results, name), "greedy, CUDA"), of(getattr(results, name), "matrix, CUDA", part="both", k=32)
        if exact and matrix and all(alone):
            times = [statistics.median(row.median_us for row in rows) for rows in (exact, matrix, *alone)]
            slower.append(times[0] > times[1])
            lines.append((results.label(name), *(f"{time:.1f}" for time in times)))
    if not lines:
        return ""
    verdict = "not so" if not any(slower) else "so" if all(slower) else "on one input of two"
    return (f"* **The papers' rule is the quicker one in the pipeline (unsaid): {verdict}.** Medians of frames, µs. "
            "All blocks of greedy must run at the same time, and each needs nearly all of a multiprocessor's shared "
            "memory, so in the pipeline they wait for other frames' kernels to leave. Hence greedy takes half of the "
            "multiprocessors there; map and reduce begin wherever there is room:\n\n"
            + table(("input", "greedy, pipeline", "matrix as published, pipeline", "greedy alone",
                     "matrix k 32, map and reduce alone"), lines))


def share(results):
    """"Consumes only 1 % of ... 40 ms" (2020, section 8)."""
    rows = [row for row in results.share if row.device.startswith("cuda")]
    if not rows:
        return ""
    most = max(row.nms_ms / 40 for row in rows)
    verdict = "holds" if most <= 0.01 else "not so"
    worst = max(rows, key=lambda row: row.nms_ms / row.frame_ms())
    return (f"* **1 % of a 40 ms frame: {verdict}.** At most {most:.3%} of 40 ms here; but the frame itself takes "
            f"{worst.frame_ms():.2f} ms, of which suppression ({worst.rule}, {results.label(worst.input)}) is "
            f"{worst.nms_ms / worst.frame_ms():.1%}.\n")


def growth(rows):
    """Returns how time grows with the number of candidates: the exponent of the power law that fits best."""
    points = [(math.log(row.candidates), math.log(row.median_us)) for row in rows if row.candidates > 1]
    if len({x for x, _ in points}) < 2:
        return None
    return statistics.linear_regression(*zip(*points)).slope


CLAIMS = (greedy, accuracy, linear, work, beats, cores, doubled_cores, partitions, constant_reduction, steps_at_k4,
          quasi_constant, share, greedy_in_the_pipeline, networks, chip_of_shi, energy)
