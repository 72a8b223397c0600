"""The section on suppression: compares our tables with the published ones."""
import statistics

from markdown import table
from nms import claims, published
from nms.tables import PARTS_OF_TABLES
from report import section_of, why_missing
from results import of, where

PARTS = ("nms-cpu", *dict.fromkeys(PARTS_OF_TABLES.values()), "nms-variations", "nms-energy", "nms-cpu-energy")
# {table: the part that wasn't measured if the table is empty}
PART_OF = {**PARTS_OF_TABLES, "growing": "nms-cuda", "sizes": "nms-cuda", "mosaic": "nms-cuda",
           "variations": "nms-variations", "energy": "nms-energy"}


def section(results, captions, tables, beside=()):
    return section_of(results, captions, tables, [head(results, tables), inputs(results)],
                      claims.section(results, beside), SECTIONS, PARTS, PART_OF)


def time(row):
    """Returns a median in microseconds, and the least and greatest repeat."""
    return f"{row.median_us:.1f} ({row.low_us:.1f}-{row.high_us:.1f})"


def head(results, tables):
    stand_ins = [one["label"] for one in results.facts["inputs"].values() if one["stand_in"]]
    text = ("## Suppression: Oro et al. 2016 and 2020 (papers 000 to 002)\n\n"
            f"Tables as CSV are in [{tables}]({tables}). *Published* is Oro et al. 2020 (2016 where named); "
            "their kernels are built anew here as the rule `matrix` (map, reduce; k = 32, D_max = 4096 unless told), "
            "which on the GPU is timed with IoU, and where a row says so with the published predicate (the winner's "
            "area, squares, + 1). *Printed* kernels are exactly those of Algorithms 1 and 2. "
            "Nothing is allocated within a time, as in 000 and 001 (002 allocates in each call, and so do *bitmask as "
            "printed* and *cpu_nms of R-CNN*): a call on the CPU, a replay of a captured "
            "graph on the GPU, between two events on the device. Given is the median over repeats of the "
            "median call, and in brackets the least and the greatest repeat.\n")
    if stand_ins:
        text += ("\n**Stand-ins.** " + "; ".join(stand_ins) + ". They are made from the demo photo "
                 "(`experiments/inputs/stand-ins`), not the papers' pictures: numbers of candidates are alike, places "
                 "and scores are not.\n")
    return text


def contradictions(_):
    return ("What doesn't agree within the papers (000 and 001) themselves:\n\n"
            + "".join(f"* {one}.\n" for one in published.contradictions()))


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
    rows = sorted((row for row in results.growing
                   if row.index == last and row.part in ("", "both") and row.k in (None, 32)),
                  key=lambda row: -row.median_us)
    if not rows:
        return ""
    slowest = next((row for row in rows if row.who.startswith("OpenCV")), None)
    return (f"All faces uncovered, {rows[0].candidates} candidates ({results.label('growing')}):\n\n"
            + table(("who", "µs", "kept", "times as fast as OpenCV"),
                    [(name(row), time(row), row.kept,
                      f"{slowest.median_us / row.median_us:.1f}" if slowest else "") for row in rows])
            + "\nPublished Fig. 7 goes by clock rate, ours by candidates. Published (TK1): the GPU at half its clock "
            "beats both CPU types at half theirs; no numbers in the text.\n")


def name(row):
    rule, _, device = row.who.partition(", ")
    part = "map and reduce" if row.part == "both" else row.part
    return ", ".join([" ".join(filter(None, (rule, f"k {row.k}" if row.k else "", part))), device])


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
    found, lines = by_size(results.sizes, lambda row: not row.who.startswith(("bitmask", "cpu_nms")))
    lines += [(f"published, {device} ({published.CUDA_CORES[device]} cores)",
               *(cells.get(size, "") for size in found)) for device, cells in published.LATENCY_US.items()]
    return (f"The best candidates of {results.label('growing')}, as many as published; µs.\n\n"
            + table(("who", *map(str, found)), lines) + times_as_fast())


def times_as_fast():
    told = "; ".join(f"{gpu} {', '.join(f'{times} times as fast as a {chip}' for chip, times in by_chip.items())}"
                     for gpu, by_chip in published.SPEEDUPS.items())
    return f"\nPublished, too: {told}. No Tegra is here to compare with.\n"


def bitmask(results):
    rows = [row for row in results.sizes if row.who.startswith("bitmask")]
    if not rows:
        return ""
    beside = [row for row in results.sizes if row.who in ("greedy, CUDA", "cpu_nms of R-CNN, CPU")
              or row.who.startswith("greedy, CPU")]
    found, lines = by_size(rows + beside, lambda row: True)
    return ("µs. *together*: candidates to the device, kernel, mask to the host, its reduction there, what "
            "is kept to the device; the sort before it is in none of them. *As printed*: with + 1, a division, and an "
            "allocation in each call. *cpu_nms of R-CNN*: cpu_nms.pyx in C++, sort included.\n\n"
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
            + "\nPublished Fig. 9 goes by clock rate, ours by multiprocessors. Published, about 3,000 detections at "
            f"the highest clock: {tegra}.\n")


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


def printed_kernels(results):
    """Compares the printed kernels with ours, and shows the steps between them."""
    rows = [row for row in results.printed if row.input == "sizes" and row.k in (None, 32)]
    ours = [row for row in results.sizes if row.who in ("matrix, CUDA", "matrix as published, CUDA")]
    if not rows:
        return ""
    found, lines = by_size(rows + ours, lambda row: True)
    text = ("µs at k 32, the best candidates of " + results.label("growing") + ". *Printed*: a thread a cell in blocks "
            "of 16 x 16 (the papers don't tell), x counting rows; a block a row, all D_max columns, V in global "
            "memory; n rows. *All*: with the memset, which the papers leave out.\n\n" + table(("who", *map(str, found)), lines))
    steps = [row for row in results.steps if row.k in (None, 4, 32)]
    if steps:
        found, lines = by_size(steps, lambda row: True)
        text += ("\nFrom printed to ours, step by step (*up to n*: iterations end with the last candidate; *ends "
                 "early*: and when a row is suppressed, V in a register; *capped*: at most 16 blocks a multiprocessor, "
                 "as ours was; *whole*: on D_max rows):\n\n" + table(("who", *map(str, found)), lines))
    return text


def reduce_on_inputs(results):
    """Shows the means over frames by k, on all inputs."""
    lines = []
    for name in ("crowd", "mosaic", "growing"):
        for shown, rows, who in (("ours", getattr(results, name), "matrix, CUDA"),
                                 ("as printed", results.printed, "printed, CUDA")):
            reductions = of(rows, who, part="reduce", input=name)
            cells = {k: mean_us(where(reductions, k=k)) for k in {row.k for row in reductions}}
            if cells:
                lines.append((results.label(name), shown, *(cells.get(k, "") for k in (4, 8, 16, 32, 64))))
    if not lines:
        return ""
    return ("Reduce kernel, mean over frames, µs (as printed: at most a hundred frames of crowd and mosaic):\n\n"
            + table(("input", "kernel", *(f"k {k}" for k in (4, 8, 16, 32, 64))), lines))


def steps(results):
    found = claims.step_series(results)
    if not found:
        return ""
    return (f"{results.label('growing')}. The claims above tell by how much time jumps. Published: it jumps at "
            f"{' and '.join(map(str, published.STEPS_2016))} detections (a plot, no numbers).\n")


def chips(results):
    rows = [row for row in results.chips if row.k in (None, 32) and row.part in ("map", "reduce", "both")
            and row.input == "sizes"]
    most = max((row.candidates for row in rows), default=None)
    lines = []
    for count in sorted({row.multiprocessors or 0 for row in rows}, key=lambda count: count or 10000):
        for who, shown in claims.KERNELS.items():
            cells = [next((time(row) for row in rows if (row.who, row.part, row.multiprocessors or 0, row.candidates)
                           == (who, part, count, most)), "") for part in ("map", "reduce", "both")]
            if any(cells):
                lines.append((count or "all", shown, *cells))
    if not lines:
        return ""
    told = "; ".join(f"{gpu}: {by_size[2895]} µs" for gpu, by_size in published.LATENCY_US.items())
    return (f"{most} candidates, k 32, µs; a multiprocessor here has 128 cores and a higher clock.\n\n"
            + table(("multiprocessors", "kernels", "map", "reduce", "both"), lines) + f"\nPublished, map and reduce: {told}.\n")


def parts_of(rows, who, k, name):
    """Returns the rows of map, of reduce, and of both together, on one input. The printed map doesn't depend on k."""
    return [of(rows, who, part=part, input=name, k=None if (part, who) == ("map", "printed, CUDA") else k)
            for part in ("map", "reduce", "both")]


def crowd(results):
    lines = []
    for shown, rows, who in (("ours", results.crowd, "matrix, CUDA"),
                             ("ours, published predicate", results.crowd, "matrix as published, CUDA"),
                             ("as printed", results.printed, "printed, CUDA")):
        for k in sorted({row.k for row in of(rows, who, part="both", input="crowd")}):
            parts = parts_of(rows, who, k, "crowd")
            lines.append((f"{shown}, k {k}", len(parts[2]), *(mean_us(part) for part in parts)))
    lines += [(who, len(of(results.crowd, who)), "", "", mean_us(of(results.crowd, who)))
              for who in dict.fromkeys(row.who for row in results.crowd if not row.part)]
    if not lines:
        return ""
    told = "; ".join(f"{chip} {ms}" for chip, ms in published.CROWD_MS.items())
    return (f"Mean over frames ({results.label('crowd')}), µs, with nothing else on the chip.\n\n"
            + table(("who", "frames", "map", "reduce", "total"), lines)
            + f"\nPublished, map and reduce, k 32: {told}; 2016, Fig. 5, k 4: a plot, no numbers.\n")


def variations(results):
    if not results.variations:
        return ""
    found, lines = by_size(results.variations, lambda row: row.part != "map" and row.part != "reduce")
    return ("µs. *AdaptiveNMS*: a threshold that grows with density; *FeatureNMS*: a distance of 32 features where the "
            "IoU doesn't decide. No detector here gives densities or features, so they are made up, and nothing is "
            "said of accuracy. Greedy, and *as a matrix* (any candidate suppresses); CPU and GPU keep the same, bit "
            "for bit. *fused*: map and reduce as one kernel whose blocks wait for each other, the papers' future work; "
            "beside it the two kernels, one after the other.\n\n" + table(("who", *map(str, found)), lines))


def energy(results):
    idle = {row.who.split(", ")[1]: row.watts for row in results.energy if row.who.startswith("idle")}
    rows = [row for row in results.energy if row.call_uj]
    lines = []
    for row in rows:
        rest = idle.get(row.who.split(", ")[1], 0)
        lines.append((name(row), row.candidates, f"{row.watts:.0f} ({row.low_watts:.0f}-{row.high_watts:.0f})",
                      f"{row.call_uj:.0f} ({row.low_call_uj:.0f}-{row.high_call_uj:.0f})",
                      f"{row.call_uj * (1 - rest / row.watts):.0f}"))
    if not lines:
        return ""
    told = "; ".join(f"{device}: {watts:.0f} W" for device, watts in idle.items())
    missing = "" if "CPU" in idle else f" The CPU's was not measured: {why_missing(results, ['nms-cpu-energy'])}."
    return ("Loops of calls, one after the other; GPU by NVML's counter of the whole card, CPU by RAPL's of all "
            "packages. Map and reduce alone don't list what is kept; the other rules do. Idle, "
            f"with a context: {told}.{missing}\n\n"
            + table(("who", "candidates", "W", "µJ a suppression", "of that above idle"), lines))


def frame_energy(results):
    lines = [(results.label(row.input), row.device, row.rule, row.counter, row.frames,
              f"{row.frame_mj:.1f} ({row.low_frame_mj:.1f}-{row.high_frame_mj:.1f})", f"{row.above_idle_mj():.1f}",
              f"{row.idle_watts:.0f}", f"{row.frame_ms:.2f}") for row in results.frame_energy]
    if not lines:
        return ""
    return ("The pipeline without drawing and encoding: decoding, detection, suppression. The difference of a long and "
            "a short run.\n\n" + table(("input", "device", "rule", "counter", "frames", "mJ a frame", "of that above idle", "idle, W",
                                "ms a frame"), lines))


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
    for rows, who in ((results.mosaic, "matrix, CUDA"), (results.mosaic, "matrix as published, CUDA"),
                      (results.printed, "printed, CUDA")):
        lines += [(f"{who}, k {k}", *(mean_us(part) for part in parts_of(rows, who, k, "mosaic")))
                  for k in sorted({row.k for row in of(rows, who, part="both", input="mosaic")})]
    lines += [(who, "", "", mean_us(of(results.mosaic, who, part=""))) for who in results.names("mosaic")
              if of(results.mosaic, who, part="")]
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
    ("Algorithms 1 and 2 as they are printed", ["printed"], printed_kernels, []),
    ("Fig. 9: core counts", ["cores"], cores, ["multiprocessors"]),
    ("Chips of the papers' size", ["chips"], chips, []),
    ("Fig. 11: the reduction by k", ["reduce"], reduce_by_k, ["reduce_by_k"]),
    ("Fig. 11 on all inputs and on parts of the chip", ["printed", "chips"], reduce_on_inputs, ["reduce_by_chip"]),
    ("2016, Fig. 4: steps at k = 4", ["growing"], steps, ["steps_at_k4"]),
    ("Fig. 12, and 2016, Fig. 5: kernels alone, frame by frame", ["crowd"], crowd, ["crowd_kernels"]),
    ("Beside Fig. 12: the pipeline, frame by frame", ["pipeline"], pipeline, ["crowd_frames"]),
    ("Fig. 13 and Table 6: mosaic", ["mosaic"], mosaic, ["mosaic_frames"]),
    ("Section 6: suppression's share of a frame", ["share"], share, []),
    ("Table 7: accuracy by rule", ["accuracy"], accuracy, []),
    ("AdaptiveNMS, FeatureNMS, and one kernel for both steps", ["variations"], variations, []),
    ("Energy of a suppression", ["energy"], energy, []),
    ("Energy of a frame", ["frame_energy"], frame_energy, []),
    ("Seed 002: bitmask suppression with the reduction on the host (R-CNN)", ["sizes"], bitmask, []),
    ("Contradictions in the papers", ["sizes"], contradictions, []),
)
