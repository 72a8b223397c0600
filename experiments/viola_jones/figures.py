"""Draws the figures on Viola-Jones. Each function draws one and returns its caption, or None if there are no rows."""
from plots import STYLES, label_axes
from viola_jones import averages, published
from viola_jones.averages import VARIANTS
from viola_jones.claims import DYNAMIC

HATCHES = ("", "///", "xx", "...", "\\\\", "++")
COPIES = ("with copies", "without")


def bars(axes, groups, names):
    """Draws groups of bars side by side: {name: {place: height}}."""
    axes.set_axisbelow(True)
    places = list(dict.fromkeys(place for heights in groups.values() for place in heights))
    width = 0.8 / max(1, len(groups))
    for number, (name, heights) in enumerate(groups.items()):
        drawn = axes.bar([places.index(place) + (number - (len(groups) - 1) / 2) * width for place in heights],
                         list(heights.values()), width, label=name, hatch=HATCHES[number % len(HATCHES)],
                         color=STYLES[number]["color"], alpha=0.75, edgecolor="black", linewidth=0.5)
        yield drawn
    axes.set_xticks(range(len(places)), [names(place) for place in places])


def frame_rates(figure, results):
    """Draws Fig. 12."""
    inputs = averages.kinds(results.frames)
    if not inputs:
        return None
    groups = {copies: averages.rates(results.frames, inputs[0], copies) for copies in COPIES}
    axes = figure.subplots()
    for drawn in bars(axes, groups, lambda who: who.replace(", ", ",\n").replace("schedule", "\nschedule")):
        axes.bar_label(drawn, fmt="%.0f", fontsize=6.5)
    axes.tick_params(axis="x", labelsize=6.5)
    axes.set_yscale("log")
    own = [place for place, who in enumerate(groups[COPIES[0]]) if who in averages.OTHER_WINDOWS]
    if own:
        axes.axvspan(min(own) - 0.5, max(own) + 0.5, color="#eeeeee", zorder=0)
        axes.text(min(own) - 0.45, 0.97, "other windows", fontsize=6.5, va="top", transform=axes.get_xaxis_transform())
    label_axes(axes, f"Fig. 12: frames a second, {results.device('variants')} ({results.label(inputs[0])})", "",
               "frames a second")
    axes.legend(loc="upper left")
    return ("Copies: the picture to the device, windows to the host. The published variants and OpenCV's schedule "
            "look at the paper's windows; facepipe and whole scales (grey) look at other and fewer ones, so their "
            "rates say nothing of the schedule alone. Logarithmic.")


def several_devices(figure, results):
    """Draws Fig. 13."""
    inputs = averages.kinds(results.devices)
    if not inputs:
        return None
    axes = figure.subplots()
    series = {f"{dealt}, {how}": averages.of_devices(results, inputs[0], how, dealt)
              for how in ("simulated", "threads", "MPI") for dealt in ("scales", "bands", "frames")}
    for style, (name, found) in zip(STYLES, ((name, found) for name, found in series.items() if len(found) > 1)):
        axes.plot(list(found), [averages.fps(rows) for rows in found.values()], label=name, markersize=4,
                  linewidth=1.1, **style)
    axes.set_xticks(range(1, 7))
    axes.set_ylim(bottom=0)
    label_axes(axes, f"Fig. 13: dynamic warps on several devices, simulated and measured\n{results.device('devices')} "
               f"({results.label(inputs[0])})", "devices", "frames a second")
    axes.legend()
    return ("With copies. Simulated: the slowest device's measured work, and what each does besides; devices that "
            "were not there. Threads, MPI: measured, until the host has all windows together.")


def active_warps(figure, results):
    """Draws Fig. 14 (a)."""
    return draw_active_warps(figure, results, results.scales, "Fig. 14 (a): active warps a multiprocessor")


def active_warps_of_a_part(figure, results):
    """Draws Fig. 14 (a) on a part of the chip."""
    used = averages.multiprocessors_of_part(results)
    return draw_active_warps(figure, results, results.part_scales,
                             f"Fig. 14 (a) on {used} multiprocessors (a C2050 has 14): active warps a multiprocessor")


def draw_active_warps(figure, results, scales, title):
    inputs = averages.kinds(scales)
    if not inputs:
        return None
    axes = figure.subplots()
    for _ in bars(axes, {who: averages.active_warps(scales, who, inputs[0]) for who in VARIANTS},
                  lambda scale: str(scale + 1)):
        pass
    label_axes(axes, f"{title}\n{results.device('scale-times')} ({results.label(inputs[0])})", "scale",
               "active warps in active cycles")
    axes.legend()
    return ("By clocks that each warp reads when it begins and when it ends: warps that are there, over the cycles in "
            f"which any is. Published: {published.SHOWN_WARPS} at most, although a C2050 can have {published.MOST_ACTIVE_WARPS}.")


def work_of_scales(figure, results):
    """Draws Fig. 14 (b)."""
    inputs = averages.kinds(results.work) or averages.kinds(results.scales)
    if not inputs:
        return None
    found = {"stumps evaluated": averages.shares(averages.stumps(results, inputs[0]))}
    found |= {f"time, {who}": averages.shares(averages.scale_times(results.scales, who, inputs[0])) for who in VARIANTS}
    axes = figure.subplots()
    for style, (name, shares) in zip(STYLES, found.items()):
        if shares:
            axes.plot([scale + 1 for scale in shares], [100 * share for share in shares.values()], label=name,
                      markersize=4, linewidth=1.1, **style)
    axes.set_xticks(range(1, 1 + max(map(len, found.values()))))
    axes.set_ylim(bottom=0)
    label_axes(axes, f"Fig. 14 (b): each scale's part of the work ({results.label(inputs[0])})", "scale", "%")
    axes.legend()
    return "Stumps as the plain loop counts them; times of each scale's kernel alone."


def choices(figure, results):
    """Draws the time of dynamic warps by the number of stages in shared memory."""
    inputs = averages.kinds(results.choices)
    found = averages.by_choice(results.choices, DYNAMIC, "K", inputs[0]) if inputs else {}
    if not found:
        return None
    axes = figure.subplots()
    axes.plot(list(found), [averages.mean_us(rows) / 1000 for rows in found.values()], markersize=4, linewidth=1.1,
              **STYLES[0])
    axes.axvspan(published.LEAST_CACHED, published.MOST_CACHED, color="#eeeeee", zorder=0)
    axes.set_ylim(bottom=0)
    axes.set_xticks(list(found))
    label_axes(axes, f"Section 5.3: dynamic warps by K, {results.device('choices')} ({results.label(inputs[0])})",
               "K, first stages in shared memory", "time of a frame without copies (ms)")
    return "Grey: where the paper noted no significant difference."


def share_of_devices(figure, results):
    """Draws Fig. 15: measured with the largest measured number of devices, and simulated with 5."""
    inputs = averages.kinds(results.devices)
    if not inputs:
        return None
    found = {}
    for how in ("MPI", "threads"):
        devices = max(averages.of_devices(results, inputs[0], how, "scales"), default=1)
        if devices > 1:
            found[f"measured ({how}), of {devices}"] = averages.of_each_device(results, inputs[0], how, "scales", devices)
    found["simulated, of 5"] = averages.of_each_device(results, inputs[0], "simulated", "scales", 5)
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, (name, times) in zip(panels, found.items()):
        shares = averages.shares(times)
        for drawn in bars(axes, {"scales": {device: 100 * share for device, share in shares.items()}},
                          lambda device: str(device + 1)):
            axes.bar_label(drawn, fmt="%.1f", fontsize=8, padding=3)
        axes.axhline(100 / max(1, len(shares)), color="#666666", linewidth=0.8, linestyle="--")
        label_axes(axes, name, "device", "")
    panels[0].set_ylim(0, 1.15 * panels[0].get_ylim()[1])
    panels[0].set_ylabel("%")
    figure.suptitle(f"Fig. 15: each device's part of the time ({results.label(inputs[0])})", fontsize=9)
    return ("Whole scales. Simulated: from measured work a scale, with what each device does besides (copies, integral "
            "image), on devices that were not there.")


FIGURES = (frame_rates, several_devices, active_warps, active_warps_of_a_part, work_of_scales, choices, share_of_devices)
