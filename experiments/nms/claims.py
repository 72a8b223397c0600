"""What our tables say of the papers' claims. Each text names the number, and exists only if it was measured."""
import math
import statistics

from markdown import table
from results import of


def section(results):
    told = [text for text in (greedy(results), accuracy(results), linear(results), work(results), beats(results), cores(results),
                              partitions(results), share(results)) if text]
    return "### The papers' claims\n\n" + ("\n".join(told) if told else "None could be tested here.\n")


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
    """Returns the number of pictures, of those that differ, of boxes that greedy keeps, and of boxes that only one rule
    keeps."""
    differ = [getattr(row, f"differ_{measure}") for row in rows]
    kept = sum(getattr(row, f"greedy_{measure}") for row in rows)
    return (len(rows), sum(1 for count in differ if count), kept,
            f"{sum(differ)} ({sum(differ) / max(kept, 1):.1%})")


def accuracy(results):
    """"Our parallel algorithm remains highly competitive", as greedy is not modified (2020, section 8)."""
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
    return ("* **The GPU beats the CPU.** From how many candidates on it is the faster one:\n\n"
            + table(("on the GPU", *cpus), lines))


def first_faster(rows, others):
    """Returns the number of candidates from which on all rows take less time than others of the same picture."""
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
    return ('* **"Far more important to increase ... the amount of GPU cores rather than ... memory bandwidth".** '
            "The bandwidth can't be varied here; the multiprocessors can. How many times as fast more of "
            "them make it:\n\n" + table(("", "from the fewest to all", "from half to all"), lines))


def half(rows):
    """Returns the row with about half of the multiprocessors."""
    all_of_them = rows[-1].multiprocessors
    return min(rows, key=lambda row: abs(row.multiprocessors - all_of_them / 2))


def partitions(results):
    """The best k is 32 (2020, Fig. 11)."""
    rows = of(results.reduce, "matrix, CUDA", part="reduce")
    if not rows:
        return ""
    most = max(row.candidates for row in rows)
    of_most = [row for row in rows if row.candidates == most]
    best = min(of_most, key=lambda row: row.median_us)
    at_32 = [row for row in of_most if row.k == 32]
    if not at_32:
        return ""
    verdict = "holds here" if best.k == 32 else f"not here, where k = {best.k} is"
    return (f"* **k = 32 is the fastest reduction: {verdict}.** {most} candidates: {at_32[0].median_us:.1f} µs at "
            f"k = 32, {best.median_us:.1f} at k = {best.k}.\n")


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
