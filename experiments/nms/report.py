"""The section on suppression: compares our tables with the published ones."""
import statistics

from markdown import table
from nms import claims, published
from nms.tables import PARTS_OF_TABLES
from report import section_of
from results import of

PARTS = ("nms-cpu", *dict.fromkeys(PARTS_OF_TABLES.values()))
# What a section lacks if its table is empty.
PART_OF = {**PARTS_OF_TABLES, "growing": "nms-cuda", "sizes": "nms-cuda", "mosaic": "nms-cuda"}


def section(results, captions, tables):
    return section_of(results, captions, tables, [head(results, tables), inputs(results)], claims.section(results),
                      SECTIONS, PARTS, PART_OF)


def time(row):
    """Returns a median in microseconds, and the least and greatest repeat."""
    return f"{row.median_us:.1f} ({row.low_us:.1f}-{row.high_us:.1f})"


def head(results, tables):
    stand_ins = [one["label"] for one in results.facts["inputs"].values() if one["stand_in"]]
    text = ("## Suppression: Oro et al. 2016 and 2020 (papers 000 to 002)\n\n"
            f"Tables as CSV are in [{tables}]({tables}). *Published* is Oro et al. 2020 (2016 where named); "
            "their kernels are built anew here as the rule `matrix` (map, reduce; k = 32, D_max = 4096 unless told), which on the GPU is timed with IoU. "
            "Nothing is allocated within a time, as in the papers: a call on the CPU, a replay of a captured "
            "graph on the GPU, between two events on the device. Given is the median over repeats of the "
            "median call, and in brackets the least and the greatest repeat.\n")
    if stand_ins:
        text += ("\n**Stand-ins.** " + "; ".join(stand_ins) + ". They are made from the demo photo "
                 "(`experiments/inputs/stand-ins`), not the papers' pictures: numbers of candidates are alike, places "
                 "and scores are not.\n")
    return text


def inputs(results):
    rows = [(one["name"], one["label"], "yes" if one["stand_in"] else "no",
             "x".join(map(str, one["size"])), one["frames"], one["score"],
             "{:.0f} / {:.0f} / {:.0f}".format(*one["candidates"]))
            for one in results.facts["inputs"].values()]
    if not rows:
        return ""
    low, high = published.CROWD_DETECTIONS
    faces, detections = published.OSCARS
    return ("### Inputs\n\n" + table(("input", "what", "stand-in", "size", "frames", "score >",
                                     "candidates: fewest / median / most"), rows)
            + f"\nPublished: crowd_run {low} to {high} detections a frame; oscars {detections} detections of "
            f"{faces} faces.\n")


def cpu_and_gpu(results):
    last = max((row.index for row in results.growing), default=None)
    rows = sorted((row for row in results.growing if row.index == last and row.part in ("", "both")),
                  key=lambda row: -row.median_us)
    if not rows:
        return ""
    slowest = next((row for row in rows if row.who.startswith("OpenCV")), None)
    return (f"All faces uncovered, {rows[0].candidates} candidates ({results.label('growing')}):\n\n"
            + table(("who", "µs", "kept", "times as fast as OpenCV"),
                    [(name(row), time(row), row.kept,
                      f"{slowest.median_us / row.median_us:.1f}" if slowest else "") for row in rows])
            + "\nPublished (TK1): the GPU at half its clock beats both CPU types at half theirs; no numbers "
            "in the text.\n")


def name(row):
    rule, _, where = row.who.partition(", ")
    part = "map and reduce" if row.part == "both" else row.part
    return ", ".join([" ".join(filter(None, (rule, f"k {row.k}" if row.k else "", part))), where])


def by_size(rows, wanted):
    """Returns lines of a table by number of candidates."""
    sizes = sorted({row.candidates for row in rows})
    lines = []
    for label in dict.fromkeys(name(row) for row in rows if wanted(row)):
        cells = {row.candidates: time(row) for row in rows if name(row) == label}
        lines.append((label, *(cells.get(size, "") for size in sizes)))
    return sizes, lines


def sizes(results):
    if not results.sizes:
        return ""
    found, lines = by_size(results.sizes, lambda row: not row.who.startswith("bitmask"))
    lines += [(f"published, {device} ({published.CUDA_CORES[device]} cores)",
               *(cells.get(size, "") for size in found)) for device, cells in published.LATENCY_US.items()]
    return (f"The best candidates of {results.label('growing')}, as many as published; µs.\n\n"
            + table(("who", *map(str, found)), lines))


def bitmask(results):
    rows = [row for row in results.sizes if row.who.startswith("bitmask")]
    if not rows:
        return ""
    beside = [row for row in results.sizes if row.who == "greedy, CUDA"]
    found, lines = by_size(rows + beside, lambda row: True)
    return ("µs. *together*: candidates to the device, kernel, mask to the host, its reduction there, what "
            "is kept to the device; the sort before it is in none of them.\n\n"
            + table(("who", *map(str, found)), lines))


def cores(results):
    rows = [row for row in results.cores if row.part in ("", "both")]
    counts = sorted({row.multiprocessors for row in rows})
    if not counts:
        return ""
    lines = [(who, *(next((time(row) for row in of(rows, who, multiprocessors=count)), "")
                     for count in counts)) for who in dict.fromkeys(row.who for row in rows)]
    lines = [(f"{count}", *(line[1 + place] for line in lines)) for place, count in enumerate(counts)]
    tegra = "; ".join(f"{chip}: {cores} cores, {ms} ms" for chip, (cores, ms) in published.TEGRA.items())
    return (f"{rows[0].candidates} candidates ({results.label('growing')}), map and reduce at k 32, µs.\n\n"
            + table(("multiprocessors", *dict.fromkeys(row.who for row in rows)), lines)
            + f"\nPublished, about 3,000 detections at the highest clock: {tegra}.\n")


def reduce_by_k(results):
    rows = of(results.reduce, "matrix, CUDA", part="reduce")
    ks = sorted({row.k for row in rows})
    counts = sorted({row.candidates for row in rows})
    if not rows:
        return ""
    cell = lambda k, count: next((time(row) for row in rows if (row.k, row.candidates) == (k, count)), "")
    d_max = {row.k: row.d_max or 4096 for row in rows}
    return ("Reduce kernel alone, µs, by number of candidates.\n\n"
            + table(("k", "D_max", *map(str, counts)),
                    [(k, d_max[k], *(cell(k, count) for count in counts)) for k in ks])
            + f"\nPublished: least at k = {published.BEST_K} on all three Tegras (a plot, no numbers).\n")


def pipeline(results):
    rows = []
    for key in dict.fromkeys((row.input, row.rule) for row in results.pipeline):
        of_key = [row for row in results.pipeline if (row.input, row.rule) == key]
        times = sorted(row.median_us for row in of_key)
        rows.append((results.label(key[0]), key[1], len(of_key),
                     f"{min(r.candidates for r in of_key)} to {max(r.candidates for r in of_key)}",
                     f"{statistics.median(r.faces for r in of_key):.0f}",
                     f"{times[0]:.1f} / {statistics.median(times):.1f} / {times[-1]:.1f}"))
    if not rows:
        return ""
    chips = "; ".join(f"{chip} {ms}" for chip, ms in published.CROWD_MS.items())
    return (table(("input", "rule", "frames", "candidates", "faces (median)", "µs: least / median / most"),
                  rows) + f"\nPublished, crowd_run, map and reduce: {chips}.\n")


def mosaic(results):
    lines = []
    for k in sorted({row.k for row in results.mosaic if row.k}):
        parts = [of(results.mosaic, "matrix, CUDA", part=part, k=k) for part in ("map", "reduce", "both")]
        lines.append((f"matrix, CUDA, k {k}", *(mean_us(rows) for rows in parts)))
    lines += [(who, "", "", mean_us(of(results.mosaic, who))) for who in results.names("mosaic")
              if who != "matrix, CUDA"]
    if not lines:
        return ""
    for chip, by_k in published.MOSAIC_MS.items():
        lines += [(f"published, {chip}, k {k}", *(f"{1000 * value:.0f}" for value in cells))
                  for k, cells in by_k.items()]
    return (f"Mean over the frames ({results.label('mosaic')}), µs.\n\n"
            + table(("who", "map", "reduce", "total"), lines))


def mean_us(rows):
    return f"{statistics.mean(row.median_us for row in rows):.1f}" if rows else ""


def share(results):
    lines = [(results.label(row.input), row.device, row.rule,
              f"{1000 * row.nms_ms:.1f} ({1000 * row.nms_low_ms:.1f}-{1000 * row.nms_high_ms:.1f})",
              f"{row.nms_ms / 40:.3%}", f"{row.frame_ms():.2f}", f"{row.nms_ms / row.frame_ms():.3%}",
              f"{row.fps:.1f}") for row in results.share]
    if not lines:
        return ""
    return (table(("input", "device", "rule", "suppression, µs", "of 40 ms", "frame, ms", "of that frame",
                   "frames a second"), lines)
            + "\n*Frame*: from the decoded picture to faces (preprocessing, network, suppression), medians. "
            f"Published: about {published.SHARE_OF_40_MS:.0%} of 40 ms for some 3,000 windows on a T4.\n")


def accuracy(results):
    lines = [(row.rule, f"`{row.options}`" if row.options else "", f"{row.easy:.4f}", f"{row.medium:.4f}",
              f"{row.hard:.4f}") for row in results.accuracy]
    if not lines:
        return ""
    told = "; ".join(f"{data}: " + ", ".join(f"{who} {ap}" for who, ap in rows.items())
                     for data, rows in published.ACCURACY.items())
    return (f"Average precision, {results.accuracy[0].images} validation images of WIDER FACE.\n\n"
            + table(("rule", "options", "easy", "medium", "hard"), lines)
            + f"\nPublished, other data sets and detectors: {told}.\n")


SECTIONS = (
    ("Fig. 7: greedy suppression on CPU and GPU", ["growing"], cpu_and_gpu, ["cpu_and_gpu"]),
    ("Fig. 8 and Table 5: time by number of detections", ["sizes"], sizes, ["growing_detections"]),
    ("Fig. 9: core counts", ["cores"], cores, ["multiprocessors"]),
    ("Fig. 11: the reduction by k", ["reduce"], reduce_by_k, ["reduce_by_k"]),
    ("Fig. 12: the pipeline, frame by frame", ["pipeline"], pipeline, ["crowd_frames"]),
    ("Fig. 13 and Table 6: mosaic", ["mosaic"], mosaic, ["mosaic_frames"]),
    ("Section 6: suppression's share of a frame", ["share"], share, []),
    ("Table 7: accuracy by rule", ["accuracy"], accuracy, []),
    ("Seed 002: bitmask suppression with the reduction on the host (R-CNN)", ["sizes"], bitmask, []),
)
