"""Draws the figures on channel features from our tables. Each function draws one figure and returns its caption, or
None if there are no rows."""
from matplotlib import ticker

from acf import cases, published
from plots import STYLES, label_axes


def hybrid_by_trees(figure, results):
    """Draws the hybrid's time by the number of trees that come first."""
    shown = next(iter(cases.all_shown(results)), None)
    rows = cases.rows_of(results.cuda, shown, scales="one", part="evaluation") if shown else []
    found = {who: sorted((row for row in rows if row.who == who), key=lambda row: row.trees)
             for who in cases.HYBRIDS}
    if not any(found.values()):
        return None
    axes = figure.subplots()
    for style, (who, of_who) in zip(STYLES, found.items()):
        axes.errorbar([row.trees for row in of_who], [row.median_ms for row in of_who],
                      yerr=[[row.median_ms - row.low_ms for row in of_who],
                            [row.high_ms - row.median_ms for row in of_who]],
                      label=who, markersize=4, linewidth=1.1, elinewidth=0.6, capsize=1.5, **style)
    for style, who in zip(STYLES[3:], ("window parallel", "stage parallel", "ours")):
        row = cases.evaluation(results.cuda, shown, "one", who)
        if row:
            axes.axhline(row.median_ms, color=style["color"], linestyle=style["linestyle"], linewidth=1, label=who)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(ticker.ScalarFormatter())
    label_axes(axes, f"Evaluation by the trees that come first, one scale, {results.device('acf-cuda')}",
               "trees, a thread a window, before a block a window", "time (ms)")
    axes.legend()
    return f"{shown.label(results)}; both scales are logarithmic."


def feature_steps(figure, results):
    """Draws the steps' shares of listing 1."""
    shown = next(iter(cases.all_shown(results)), None)
    rows = cases.rows_of(results.cuda, shown, scales="one", who=cases.PUBLISHED_FEATURES) if shown else []
    times = {row.part: row.median_ms for row in rows if row.part in cases.STEPS}
    if not times:
        return None
    axes = figure.subplots()
    whole = sum(times.values())
    steps = [step for step in cases.STEPS if step in times]
    for offset, label, color, hatch, shares in (
            (-0.2, f"here, {results.device('acf-cuda')}", "#1f618d", "", [times[step] / whole for step in steps]),
            (0.2, "published (machine not told)", "#dddddd", "//", [published.SHARES.get(step, 0) for step in steps])):
        axes.bar([place + offset for place in range(len(steps))], [100 * share for share in shares], 0.4, label=label,
                 color=color, hatch=hatch, edgecolor="#000000", linewidth=0.6)
    axes.set_xticks(range(len(steps)), steps)
    axes.set_axisbelow(True)
    label_axes(axes, "Feature calculation, a kernel a step, one scale", "step", "share of the time (%)")
    axes.legend()
    return ("Shares of the steps' times, each measured by itself. The paper tells nothing of smoothing, normalizing "
            "and the cells' padding.")


def precision_recall(figure, results):
    """Draws Fig. 4."""
    if not results.curves:
        return None
    axes = figure.subplots()
    for style, name in zip(STYLES, dict.fromkeys(row.detector for row in results.curves)):
        rows = [row for row in results.curves if row.detector == name]
        axes.plot([row.recall for row in rows], [row.precision for row in rows], label=name, markersize=3,
                  linewidth=1.1, markevery=max(1, len(rows) // 8), **style)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    label_axes(axes, f"Fig. 4: WIDER FACE {results.curves[0].setting}, {results.accuracy[0].images} images",
               "recall", "precision")
    axes.legend()
    return "Faces on WIDER FACE in place of pedestrians on INRIA."


def accuracy_and_speed(figure, results):
    """Draws Fig. 5: all detectors of facepipe on CPU and GPU."""
    precision = {row.detector: row.medium for row in results.accuracy}
    times = [("CPU", row) for row in results.detectors_cpu] + [("GPU", row) for row in results.detectors_cuda]
    times = [(where, row) for where, row in times if row.detector in precision]
    if not times:
        return None
    axes = figure.subplots()
    for style, name in zip(STYLES, dict.fromkeys(row.detector for _, row in times)):
        marker = "h" if style["marker"] == "x" else style["marker"]  # a cross can't be filled
        own = [(where, row) for where, row in times if row.detector == name]
        axes.plot([row.median_ms for _, row in own], [precision[name]] * len(own), linewidth=0.6,
                  color=style["color"], linestyle=":")
        for where, row in own:
            axes.plot(row.median_ms, precision[name], color=style["color"], marker=marker, linestyle="",
                      markerfacecolor=style["color"] if where == "GPU" else "white", markersize=7,
                      label=name if (where, row) == own[0] else None)
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    label_axes(axes, "Fig. 5: average precision (WIDER FACE medium) by time, a frame of 1920x1080",
               "frame in memory to candidates (ms)", "average precision")
    axes.legend(loc="lower right", ncols=2)
    gpu = results.device("detectors-cuda") if results.detectors_cuda else "no GPU measured"
    return (f"Filled: {gpu}; hollow: CPU. Times on the {results.label('crowd')}; both points of a detector have the "
            "precision that the part acf-accuracy measured on one device: cascades and ACF find the same on the other, "
            "networks nearly so.")


FIGURES = (hybrid_by_trees, feature_steps, precision_recall, accuracy_and_speed)
