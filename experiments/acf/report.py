"""The section on channel features: compares our tables with the published ones."""
from acf import cases, claims, published
from acf.tables import PARTS_OF_TABLES
from markdown import table
from report import section_of

PARTS = tuple(dict.fromkeys(PARTS_OF_TABLES.values()))
TABLE_3_MISPRINT = ("\nSpeedups are of the published times. For DES, window parallel, the paper prints x 0.8, but 106 "
                    "ms divided by 84 is 1.26.\n")

NPP_STEPS = {"luv": "NV12 to LUV", "smooth": "smooth", "gradient": "gradient, our differences",
             "sobel": "gradient, Sobel's masks", "shrink": "shrink"}


def section(results, captions, tables, beside=()):
    return section_of(results, captions, tables, [head(tables), inputs(results)], claims.section(results, beside), SECTIONS,
                      PARTS, PARTS_OF_TABLES)


def head(tables):
    return ("## Aggregate channel features: Van Ranst et al. (paper 004)\n\n"
            f"Tables as CSV are in [{tables}]({tables}). *Published* is the paper's: DES is a Xeon E5-2630 v3 with a "
            "GTX 1080, TX2 a Jetson TX2; YOLOv2 is not built anew, CenterFace stands in its place. The paper's ways to "
            "look for windows are built anew over the channels of our detector, and find its windows. Its feature "
            "calculation is built anew a kernel a step; where it calls NPP, plain kernels of ours stand in (NPP itself: "
            "*Listing 1 with NPP*). Other than the paper's, gradients are those of the strongest colour, magnitudes are "
            "normalized, and the picture is NV12. On the GPU a time is that of a replay of a captured graph between two "
            "events on the device, or of a call where kernels launch others; on the CPU that of a call. Given is the "
            "median over repeats of the median, and in brackets the least and the greatest repeat.\n\n"
            "**Stand-ins.** TownCenter and INRIA can't be had any more: one picture stands in for each video, and "
            "faces on WIDER FACE for pedestrians on INRIA.\n")


def inputs(results):
    rows = [(one["name"], one["label"], "x".join(map(str, one["size"]))) for one in results.facts["inputs"].values()]
    return "### Inputs\n\n" + table(("picture", "what", "size"), rows) if rows else ""


def time(row):
    return f"{row.median_ms:.4g} ({row.low_ms:.4g}-{row.high_ms:.4g})" if row else ""


def by_picture(results, body):
    """Returns the bodies for all models and pictures, each below a label."""
    texts = [(shown.label(results), body(results, shown)) for shown in cases.all_shown(results)]
    return "\n".join(f"{label}:\n\n{text}" for label, text in texts if text)


def speedup(first, row):
    return f"{first.median_ms / row.median_ms:.3g}" if first and row else ""


def features(results):
    return by_picture(results, features_of) + published_rows(results, {
        f"published, {machine}, {where}": (ms, f"{of['CPU'] / ms:.3g}")
        for machine, of in published.FEATURES_MS.items() for where, ms in of.items()})


def published_rows(results, rows):
    if not results.cpu and not results.cuda:
        return ""
    return "\n" + table(("published", "ms", "speedup, by these times"), [(name, *cells) for name, cells in rows.items()])


def features_of(results, shown):
    cpus = sorted((row for row in cases.rows_of(results.cpu, shown, scales="one", part="features")),
                  key=lambda row: row.threads)
    most = cpus[-1] if cpus else None
    lines = [(f"CPU, {row.threads} thread{'s' if row.threads > 1 else ''}", time(row), speedup(most, row))
             for row in cpus]
    for name, row in (("GPU, as published, with upload", cases.published_features(results.cuda, shown)),
                      ("GPU, ours", cases.row_of(results.cuda, shown, scales="one", part="features", who="ours"))):
        if row:
            lines.append((name, time(row), speedup(most, row)))
    return table(("one scale", "ms", "times as fast as the CPU"), lines) if lines else ""


def steps(results):
    return by_picture(results, steps_of)


def steps_of(results, shown):
    rows = cases.rows_of(results.cuda, shown, scales="one", who=cases.PUBLISHED_FEATURES)
    rows = [row for row in rows if row.part in cases.STEPS]
    whole = sum(row.median_ms for row in rows)
    lines = [(row.part, time(row), f"{row.median_ms / whole:.0%}",
              f"{published.SHARES[row.part]:.0%}" if row.part in published.SHARES else "") for row in rows]
    return table(("step", "ms", "share", "published"), lines) if lines else ""


def by_npp(results):
    """Returns the steps for which the paper calls NPP, by NPP and by ours."""
    lines = []
    for name in dict.fromkeys(row.input for row in results.npp):
        rows = {(row.step, row.who): row for row in results.npp if row.input == name}
        ours_of = {"sobel": "gradient"}  # our kernel that has the place of NPP's step with another name
        for (step, who), row in rows.items():
            ours = rows.get((ours_of.get(step, step), "ours"))
            if who == "NPP" and ours:
                lines.append((results.label(name), NPP_STEPS[step], time(row), time(ours),
                              f"{ours.median_ms / row.median_ms:.2f}", f"{row.mean_difference:.2g}",
                              f"{row.largest_difference:.2g}"))
    if not lines:
        return ""
    return ("ms on the device, NPP and ours from the same input. Differences are between the samples of both results, of "
            "gradients without the outermost pixels. NPP's LUV has 8 bits, and another RGB in between; its gradient is "
            "that of the lightness alone, ours that of the strongest colour with its orientation (compared are "
            "magnitudes of the lightness). Sobel's masks, in one call, also smooth across the gradient. NPP has no "
            "function for the bins.\n\n"
            + table(("picture", "step", "NPP", "ours", "NPP times as fast", "mean difference", "largest"), lines))


def evaluation(results):
    return by_picture(results, evaluation_of) + published_rows(results, {
        f"{machine}, {way}": (ms, f"{of['CPU'] / ms:.2g}")
        for machine, of in published.EVALUATION_MS.items() for way, ms in of.items()})


def evaluation_of(results, shown):
    lines = []
    for scales in ("one", "all"):
        on_cpu = cases.cpu(results, shown, scales, "evaluation")
        rows = [("CPU", on_cpu)] if on_cpu else []
        rows += list(cases.ways(results.cuda, shown, scales).items())
        lines += [(scales, name_of(way, row), row.windows, row.passed, time(row), speedup(on_cpu, row))
                  for way, row in rows]
    return table(("scales", "way", "windows", "pass", "ms", "times as fast as the CPU"), lines) if lines else ""


def part_of_chip(results):
    """Returns Tables 1 to 3 on a part of the chip, beside the whole one."""
    text = by_picture(results, part_of)
    return text and (f"{published.PART} of the multiprocessors, by a green context: a GTX 1080, DES's, has 20. One scale.\n\n"
                     + text)


def part_of(results, shown):
    ways = cases.ways(results.cuda, shown, "one")
    pairs = {"features as published, with upload":
             (cases.published_features(results.part, shown), cases.published_features(results.cuda, shown))}
    pairs |= {f"evaluation, {way}": (row, ways.get(way)) for way, row in cases.ways(results.part, shown, "one").items()}
    lines = [(label, time(part), time(whole), speedup(part, whole)) for label, (part, whole) in pairs.items() if part]
    header = ("one scale", f"ms, {published.PART} multiprocessors", "ms, whole chip", "times as fast")
    return table(header, lines) if lines else ""


def coarse(results):
    """Returns Fig. 2: accuracy and time of a coarse detector before the fine one."""
    accuracies = [(row.detector, row.coarse_trees or "", f"{row.easy:.3f}", f"{row.medium:.3f}", f"{row.hard:.3f}",
                   "" if row.left is None else f"{row.left:.1%}") for row in results.coarse]
    text = ""
    if accuracies:
        text = (f"Average precision on {results.coarse[0].images} validation images of WIDER FACE; faces of the "
                "model's own size and above. *Left*: of the fine windows.\n\n"
                + table(("detector", "coarse trees", "easy", "medium", "hard", "left"), accuracies) + "\n")
    return text + by_picture(results, coarse_times)


def coarse_times(results, shown):
    lines = []
    for scales in ("one", "all"):
        both = cases.evaluation(results.cuda, shown, scales, "coarse and fine")
        if not both:
            continue
        rows = {who: cases.evaluation(results.cuda, shown, scales, who)
                for who in (*cases.ON_A_CORE, "window parallel", "stage parallel")}
        rows["coarse and fine"] = both
        lines += [(scales, who, row.alive or "", row.passed, time(row)) for who, row in rows.items() if row]
    return table(("scales", "way", "windows left", "pass", "ms"), lines) if lines else ""


def name_of(way, row):
    if way == "CPU":
        return f"CPU, {row.threads} threads"
    return f"{row.who}, {row.trees} trees first" if row.trees else way


def totals(results):
    return by_picture(results, totals_of) + published_rows(results, {
        f"{machine}, {way}": (ms, f"{of['CPU'] / ms:.2g}")
        for machine, of in published.TOTAL_MS.items() for way, ms in of.items()}) + TABLE_3_MISPRINT


def totals_of(results, shown):
    """Returns the times of the published features with each variant, and ours measured as a whole."""
    on_cpu = cases.cpu(results, shown, "one", "total")
    made = cases.published_features(results.cuda, shown)
    lines = [(name_of("CPU", on_cpu), f"{on_cpu.median_ms:.4g}", "1")] if on_cpu else []
    for way, row in cases.ways(results.cuda, shown, "one").items():
        whole = cases.row_of(results.cuda, shown, scales="one", part="total", who="ours") if way == "ours" else None
        if way != "ours" and not made:
            continue
        ms = whole.median_ms if whole else made.median_ms + row.median_ms
        lines.append((name_of(way, row), f"{ms:.4g}", f"{on_cpu.median_ms / ms:.3g}" if on_cpu else ""))
    return table(("one scale", "features and evaluation, ms", "times as fast as the CPU"), lines) if lines else ""


def trees(results):
    text = by_picture(results, trees_of)
    return text + "\nEmpty: of more launches than there is room for on the device.\n" if text else ""


def trees_of(results, shown):
    lines = []
    for scales in ("one", "all"):
        rows = [row for row in cases.rows_of(results.cuda, shown, scales=scales, part="evaluation") if row.trees]
        for count in sorted({row.trees for row in rows}):
            of_count = {row.who: row for row in rows if row.trees == count}
            alive = next(iter(of_count.values())).alive
            lines.append((scales, count, alive, *(time(of_count.get(who)) for who in cases.HYBRIDS)))
    return table(("scales", "trees first", "windows left", *cases.HYBRIDS), lines) if lines else ""


def all_scales(results):
    """Returns Table 4."""
    lines = []
    for shown in cases.all_shown(results):
        rows = {"CPU": cases.cpu(results, shown, "all", "total"),
                "GPU": cases.row_of(results.cuda, shown, scales="all", part="total", who="ours")}
        lines += [(f"ACF, {shown.label(results)}", where if where == "GPU" else name_of("CPU", row), "", time(row))
                  for where, row in rows.items() if row]
    for where, rows in (("CPU", results.detectors_cpu), ("GPU", results.detectors_cuda)):
        lines += [(row.detector, where, row.engine, time(row)) for row in rows]
    if not lines:
        return ""
    told = "; ".join(f"{machine}: " + ", ".join(f"{who} {ms}" for who, ms in of.items())
                     for machine, of in published.ALL_SCALES_MS.items())
    return (table(("detector", "device", "engine", "frame in memory to candidates, ms"), lines)
            + f"\nPublished, ms, of ACF estimated: {told}. Detectors that no picture is named with are on "
            f"the {results.label('crowd')}; *from 20* has the picture enlarged once.\n")


def accuracy(results):
    lines = [(row.detector, f"`{row.options}`" if row.options else "", row.engine, f"{row.easy:.3f}",
              f"{row.medium:.3f}", f"{row.hard:.3f}") for row in results.accuracy]
    if not lines:
        return ""
    told = ", ".join(f"{who} {ap}" for who, ap in published.ACCURACY.items())
    return (f"Average precision, {results.accuracy[0].images} validation images of WIDER FACE.\n\n"
            + table(("detector", "options", "engine", "easy", "medium", "hard"), lines)
            + f"\nPublished, pedestrians on INRIA: {told}.\n")


SECTIONS = (
    ("Table 1: features on CPU and GPU", ("cuda", "cpu"), features, []),
    ("Listing 1: the steps of feature calculation", ("cuda",), steps, ["feature_steps"]),
    ("Listing 1 with NPP", ("npp",), by_npp, []),
    ("Table 2: evaluation", ("cuda", "cpu"), evaluation, []),
    ("Tables 1 and 2 on a chip of the paper's size", ("part",), part_of_chip, []),
    ("Section 4.2.2 and Fig. 2: a coarse detector first", ("coarse", "cuda"), coarse, []),
    ("The hybrid by its first trees", ("cuda",), trees, ["hybrid_by_trees"]),
    ("Table 3: features and evaluation", ("cuda", "cpu"), totals, []),
    ("Table 4: all scales, and other detectors", ("cuda", "detectors_cuda", "cpu", "detectors_cpu"), all_scales, []),
    ("Fig. 4: accuracy", ("accuracy",), accuracy, ["precision_recall"]),
    ("Fig. 5: accuracy and speed", ("accuracy", "detectors_cuda", "detectors_cpu"), lambda results: "",
     ["accuracy_and_speed"]),
)
