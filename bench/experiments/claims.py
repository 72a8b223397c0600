"""What our tables say of the papers' claims; with the number, and only where it was measured."""
from results import growth, of


def section(results):
    told = [text for text in (greedy(results), linear(results), work(results), cores(results),
                              partitions(results), share(results)) if text]
    return "## The papers' claims\n\n" + ("\n".join(told) if told else "None could be tested here.\n")


def greedy(results):
    """"We do not modify the inner workings of greedy NMS" (2020, sections 1 and 8)."""
    rows = results.differences
    if not rows:
        return ""
    text = ('* **"Do not modify the inner workings of ... greedy NMS": not so.** In the matrix a box falls to '
            "any better one that overlaps it, in greedy suppression only to one that is itself kept. ")
    for name in dict.fromkeys(row.input for row in rows):
        of_input = [row for row in rows if row.input == name]
        text += f"{results.label(name)}, {len(of_input)} pictures: {difference(of_input, 'iou')} by IoU, " \
                f"{difference(of_input, 'published')} by the published measure. "
    return text + "(Both rules at threshold 0.3, of the same candidates, by `rules.py`.)\n"


def difference(rows, measure):
    differ = [getattr(row, f"differ_{measure}") for row in rows]
    kept = sum(getattr(row, f"greedy_{measure}") for row in rows)
    frames = sum(1 for count in differ if count)
    return (f"{frames} pictures keep other boxes, {sum(differ)} boxes of greedy's {kept} "
            f"({sum(differ) / max(kept, 1):.1%})")


def linear(results):
    """"The theoretical asymptotic time complexity ... is linear" (2020, sections 1 and 4)."""
    matrix = [row for row in of(results.growing, "matrix, CUDA", part="map", k=32) if row.candidates >= 500]
    exact = [row for row in of(results.growing, "greedy, CUDA") if row.candidates >= 500]
    slope, exact_slope = (growth(rows) if len(rows) > 2 else None for rows in (matrix, exact))
    if slope is None or exact_slope is None:
        return ""
    few, many = min(matrix, key=lambda row: row.candidates), max(matrix, key=lambda row: row.candidates)
    return ("* **Linear time** needs as many processors as candidates; the work is quadratic. From "
            f"{few.candidates} to {many.candidates} candidates the map kernel goes from {few.median_us:.1f} to "
            f"{many.median_us:.1f} µs, as the power {slope:.2f} of their number (a launch's fixed time "
            f"included); exact greedy as the power {exact_slope:.2f}.\n")


def work(results):
    """"Work-efficient" (2020, title)."""
    sizes = sorted({row.candidates for row in results.sizes})
    found = []
    for size in sizes:
        matrix = of(results.sizes, "matrix, CUDA", part="both", k=32, candidates=size)
        exact = of(results.sizes, "greedy, CUDA", candidates=size)
        if matrix and exact:
            found.append(f"{size}: {matrix[0].median_us / exact[0].median_us:.2f}")
    if not found:
        return ""
    return ("* **Work-efficient: no.** The matrix compares all n² pairs where greedy compares each candidate "
            "with those kept. Time of map and reduce in exact greedy's on this GPU, by number of candidates: "
            + ", ".join(found) + ".\n")


def cores(results):
    """"Far more important to increase ... cores rather than ... bandwidth" (2020, section 6)."""
    text = []
    for shown, who, wanted in (("map", "matrix, CUDA", {"part": "map"}),
                               ("reduce", "matrix, CUDA", {"part": "reduce"}),
                               ("exact greedy", "greedy, CUDA", {})):
        rows = sorted(of(results.cores, who, **wanted), key=lambda row: row.multiprocessors)
        if len(rows) > 1:
            first, last = rows[0], rows[-1]
            text.append(f"{shown} {first.median_us / last.median_us:.1f} times as fast with "
                        f"{last.multiprocessors / first.multiprocessors:.1f} times the multiprocessors "
                        f"({first.multiprocessors} to {last.multiprocessors}), of which from half of them "
                        f"on {half(rows) / last.median_us:.2f}")
    if not text:
        return ""
    return ('* **"Far more important to increase ... the amount of GPU cores": up to a point.** '
            + "; ".join(text) + ". What more cores leave behind is latency of launches and barriers, and "
            "memory for the matrix.\n")


def half(rows):
    """The time with about half of the multiprocessors."""
    all_of_them = rows[-1].multiprocessors
    return min(rows, key=lambda row: abs(row.multiprocessors - all_of_them / 2)).median_us


def partitions(results):
    """k = 32 is the best (2020, Fig. 11)."""
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
    text = ", ".join(f"{row.rule} on {results.label(row.input)} {row.nms_ms / 40:.3%}, of the frame's own time "
                     f"{row.nms_ms / row.frame_ms():.1%}" for row in rows)
    return f"* **1 % of a 40 ms frame: holds.** {text}.\n"
