"""Draws the figures on suppression. Each function draws one and returns its caption, or None if there are no rows."""
import re

from matplotlib import ticker

from nms import published
from nms.claims import step_series
from plots import STYLES, label_axes, title_axes
from results import of, series


def lines(axes, rows_of, x, shown=None, every=12):
    """Draws a line for each name: medians as markers, with bars from the least to the greatest repeat."""
    for style, (name, rows) in zip(STYLES, rows_of.items()):
        rows = sorted(rows, key=x)
        places = [x(row) for row in rows]
        medians = [row.median_us for row in rows]
        bars = [[row.median_us - row.low_us for row in rows], [row.high_us - row.median_us for row in rows]]
        step = max(1, len(rows) // every)
        axes.errorbar(places, medians, yerr=bars, label=(shown or {}).get(name, name), markersize=4,
                      linewidth=1.1, elinewidth=0.6, capsize=1.5, markevery=step, errorevery=step, **style)


def present(rows_of):
    """Leaves out names without rows."""
    return {name: rows for name, rows in rows_of.items() if rows}


def cpu_and_gpu(figure, results):
    """Draws Fig. 7."""
    wanted = ["OpenCV greedy, CPU", *[who for who in results.names("growing") if
                                      re.match(r"greedy, CPU|fast, CPU|greedy, CUDA", who)],
              "matrix as published, CPU"]
    found = series(results.growing, wanted)
    for who in ("matrix", "matrix as published"):
        matrix = of(results.growing, f"{who}, CUDA", part="both", k=32)
        if matrix:
            found[f"{who} k 32, CUDA"] = matrix
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.candidates)
    axes.set_yscale("log")
    where = "one CPU core and the GPU" if any(who.endswith("CUDA") for who in found) else "one CPU core"
    label_axes(axes, f"By candidates (published Fig. 7: by clock rate):\n{where} ({results.label('growing')})",
               "candidates", "time (µs)")
    axes.set_ylim(bottom=axes.get_ylim()[0] / 20)  # the legend needs room below the lines
    axes.legend(loc="lower right", ncols=2)
    return f"On {where}, over the pictures with more and more faces uncovered; time in log scale."


def growing_detections(figure, results):
    """Draws Fig. 8."""
    found = present({
        "matrix k 32: map and reduce": of(results.growing, "matrix, CUDA", part="both", k=32),
        "matrix: map alone": of(results.growing, "matrix, CUDA", part="map", k=32),
        "matrix: reduce alone": of(results.growing, "matrix, CUDA", part="reduce", k=32),
        "as printed, k 32: both": of(results.printed, "printed, CUDA", part="both", k=32, input="growing"),
        "fast": of(results.growing, "fast, CUDA"),
        "exact greedy": of(results.growing, "greedy, CUDA")})
    where = results.device("nms-cuda")
    if not found:
        where = "one CPU core"
        found = series(results.growing, [who for who in results.names("growing") if "OpenCV" not in who])
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.candidates)
    label_axes(axes, f"Fig. 8: time by number of candidates, {where} ({results.label('growing')})",
               "candidates", "time (µs)")
    axes.set_ylim(bottom=0)
    axes.legend()
    return f"Rules on {where} over the growing pictures."


def multiprocessors(figure, results):
    """Draws Fig. 9."""
    found = present({
        "matrix k 32": of(results.cores, "matrix, CUDA", part="both", k=32),
        "matrix: map": of(results.cores, "matrix, CUDA", part="map", k=32),
        "matrix: reduce": of(results.cores, "matrix, CUDA", part="reduce", k=32),
        "exact greedy": of(results.cores, "greedy, CUDA")})
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.multiprocessors, every=20)
    matrix = sorted(next(iter(found.values())), key=lambda row: row.multiprocessors)
    first = matrix[0]
    counts = [row.multiprocessors for row in matrix]
    axes.plot(counts, [first.median_us * first.multiprocessors / count for count in counts],
              color="#888888", linewidth=0.8, label="matrix, were it proportional")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    for axis, places in ((axes.xaxis, counts), (axes.yaxis, None)):
        axis.set_major_formatter(ticker.ScalarFormatter())
        axis.set_minor_formatter(ticker.NullFormatter())
        if places:
            axis.set_major_locator(ticker.FixedLocator(spaced(places)))
    label_axes(axes, f"By multiprocessors (published Fig. 9: by clock rate),\n{first.candidates} candidates "
               f"({results.label('growing')})", "multiprocessors (green context)", "time (µs)")
    axes.legend()
    return "Clock rates stay as they are; the share of the chip varies. Both scales are logarithmic."


def spaced(places):
    """Chooses from rising positions those that are so far apart on a log scale that their labels don't overlap."""
    chosen = [places[0]]
    for place in places[1:]:
        if place >= 1.3 * chosen[-1]:
            chosen.append(place)
    return chosen


def reduce_by_k(figure, results):
    """Draws Fig. 11."""
    sets = {f"{row.candidates} candidates" for row in results.reduce}
    found = present({name: [row for row in of(results.reduce, "matrix, CUDA", part="reduce")
                            if f"{row.candidates} candidates" == name]
                     for name in sorted(sets, key=lambda name: int(name.split()[0]))})
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.k, every=20)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted({row.k for row in results.reduce if row.k}))
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    axes.set_ylim(bottom=0)
    label_axes(axes, f"Fig. 11: reduce kernel by k ({results.label('growing')})",
               "k (D_max 4096; 1,024 at k 1, 2,048 at k 2)", "time (µs)")
    axes.legend()
    return "The reduction alone; k = 1 and 2 have the D_max that 1,024 threads a block allow."


def reduce_by_chip(figure, results):
    """Draws Fig. 11 on parts of the chip, ours and as printed."""
    found = {}
    for shown, who in (("ours", "matrix, CUDA"), ("as printed", "printed, CUDA")):
        rows = of(results.chips, who, part="reduce", input="growing")
        for count in sorted({row.multiprocessors or 0 for row in rows}, key=lambda count: count or 10000):
            of_count = [row for row in rows if (row.multiprocessors or 0) == count]
            if len(of_count) > 1:
                found[f"{shown}, {count or 'all'} multiprocessors"] = of_count
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.k, every=20)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(sorted({row.k for rows in found.values() for row in rows}))
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    first = next(iter(found.values()))[0]
    axes.set_ylim(top=6 * axes.get_ylim()[1])  # the legend needs room above the lines
    label_axes(axes, f"Fig. 11 on parts of the chip: reduce kernel, {first.candidates} candidates "
               f"({results.label('growing')})", "k (D_max 4096)", "time (µs)")
    axes.legend(loc="upper center", ncols=2)
    return "8 and 40 multiprocessors are about those of a GTX 1060 (10) and a Tesla T4 (40). Green contexts; log scales."


def steps_at_k4(figure, results):
    """Draws 2016, Fig. 4."""
    found = step_series(results)
    if not found:
        return None
    axes = figure.subplots()
    lines(axes, found, lambda row: row.candidates)
    for place in published.STEPS_2016:
        axes.axvline(place, color="#888888", linewidth=0.8)
    axes.set_ylim(bottom=0)
    label_axes(axes, f"2016, Fig. 4: k = 4, {results.device('nms-cuda')} ({results.label('growing')})", "candidates",
               "time (µs)")
    axes.legend()
    return "Grey: 1,024 and 2,048 candidates, where the published time jumps. Here over candidates; published over faces, too."


def crowd_kernels(figure, results):
    """Draws 2020, Fig. 12, and 2016, Fig. 5: the kernels without the pipeline."""
    found = present({
        "ours, k 32": of(results.crowd, "matrix, CUDA", part="both", k=32),
        "ours, k 4": of(results.crowd, "matrix, CUDA", part="both", k=4),
        "as printed, k 32": of(results.printed, "printed, CUDA", part="both", k=32, input="crowd"),
        "as printed, k 4": of(results.printed, "printed, CUDA", part="both", k=4, input="crowd"),
        "exact greedy": of(results.crowd, "greedy, CUDA")})
    if not found:
        return None
    outside = frames(figure, f"Fig. 12, and 2016, Fig. 5: kernels alone, {results.device('nms-crowd')} "
                     f"({results.label('crowd')})", found, lambda row: row.index, "time (µs)")
    return "Each frame's candidates, with nothing else on the chip; as printed: at most a hundred frames." + outside


def frames(figure, title, found, frame, y):
    """Draws times in the lower part and numbers of candidates in the upper part, as in the papers' figures."""
    above, below = figure.subplots(2, sharex=True, height_ratios=(1, 2))
    counts = {frame(row): row.candidates for rows in found.values() for row in rows}
    above.plot(sorted(counts), [counts[place] for place in sorted(counts)], color="#000000", linewidth=0.9)
    above.set_ylim(0, 1.15 * max(counts.values()))
    above.set_ylabel("candidates")
    title_axes(above, title)
    lines(below, found, frame, every=25)
    medians = sorted(row.median_us for rows in found.values() for row in rows)
    top = 1.4 * medians[int(0.99 * (len(medians) - 1))]
    below.set_ylim(0, top)
    below.set_xlabel("frame")
    below.set_ylabel(y)
    below.legend(loc="upper right", ncols=3)
    outside = sum(1 for median in medians if median > top)
    return f" {outside} medians lie above the plot." if outside else ""


def crowd_frames(figure, results):
    """Draws Fig. 12."""
    rows = [row for row in results.pipeline if row.input == "crowd"]
    if not rows:
        return None
    device = results.device("pipeline")
    by_rule = {rule: [row for row in rows if row.rule == rule]
               for rule in dict.fromkeys(row.rule for row in rows)}
    outside = frames(figure, f"Beside Fig. 12: in the pipeline, {device} ({results.label('crowd')})",
                     by_rule, lambda row: row.frame, "suppression (µs)")
    return ("By the pipeline's own latency file; other frames are on the same chip meanwhile. Markers and bars "
            "on every so many frames only.") + outside


def mosaic_frames(figure, results):
    """Draws Fig. 13."""
    found = present({
        "map, k 32": of(results.mosaic, "matrix, CUDA", part="map", k=32),
        "reduce, k 32": of(results.mosaic, "matrix, CUDA", part="reduce", k=32),
        "exact greedy": of(results.mosaic, "greedy, CUDA")})
    where = results.device("nms-cuda") if found else "one CPU core"
    found = found or series(results.mosaic, [who for who in results.names("mosaic") if "OpenCV" not in who])
    if not found:
        return None
    outside = frames(figure, f"Fig. 13: suppression a frame, {where} ({results.label('mosaic')})", found,
                     lambda row: row.index, "time (µs)")
    best = published.MOSAIC_MS["TX2"][32]
    return (f"Published for a TX2 at k = 32: map {best[0]} ms, reduce {best[1]} ms on average."
            if where != "one CPU core" else "On the CPU: our rules on one core.") + outside


FIGURES = (cpu_and_gpu, growing_detections, multiprocessors, reduce_by_k, reduce_by_chip, steps_at_k4, crowd_kernels,
           crowd_frames, mosaic_frames)
