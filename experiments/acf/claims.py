"""Judges the paper's claims by our tables. A text contains the measured numbers, and is "" if there are none.

A claim about times is judged for each model and picture, on the whole chip and on the part with about as many
multiprocessors as the paper's.
"""
import verdicts
from acf import cases, published

WHOLE, PART = "the whole chip", f"{published.PART} multiprocessors (a GTX 1080 has 20)"


def section(results, beside=()):
    return verdicts.section("The paper's claims", CLAIMS, results, beside)


def verdict(holds):
    return "holds" if holds else "not so here"


def judged(results, claim, judge, tables=None):
    """Judges a claim in each case. judge(results, rows of a GPU, shown) returns (whether it holds, numbers), or None."""
    tables = tables or {WHOLE: results.cuda, PART: results.part}
    found = {(shown.label(results), place): one for place, rows in tables.items() for shown in cases.all_shown(results)
             if (one := judge(results, rows, shown))}
    if not found:
        return ""
    holds = [does for does, _ in found.values()]
    told = verdict(holds[0]) if len(set(holds)) == 1 else f"in {sum(holds)} of {len(holds)} cases"
    places = {place for _, place in found}
    lines = "".join(f"  * {label}{f', {place}' if len(places) > 1 else ''}: {numbers} ({'yes' if does else 'no'}).\n"
                    for (label, place), (does, numbers) in found.items())
    return f"* **{claim}: {told}.**\n\n{lines}"


def features(results):
    """"An order of magnitude or more speedup" (section 5, Table 1)."""
    def judge(results, rows, shown):
        on_cpu, on_gpu = cases.cpu(results, shown, "one", "features"), cases.published_features(rows, shown)
        if not on_cpu or not on_gpu:
            return None
        ratio = on_cpu.median_ms / on_gpu.median_ms
        ours = cases.row_of(rows, shown, scales="one", part="features", who="ours")
        return ratio >= 10, (f"{on_cpu.median_ms:.2f} ms on the CPU ({on_cpu.threads} threads), {on_gpu.median_ms:.3f} "
                             f"on the GPU as published, with the upload: x {ratio:.0f}; our kernels take "
                             f"{ours.median_ms:.3f} of a frame that is there")

    return judged(results, "Features are an order of magnitude quicker on the GPU (published: x 11 and 25.6)", judge)


def longest_step(results):
    """Histogram binning takes the longest (listing 1)."""
    def judge(_, rows, shown):
        steps = [row for row in cases.rows_of(rows, shown, scales="one", who=cases.PUBLISHED_FEATURES)
                 if row.part in cases.STEPS]
        if not steps:
            return None
        longest, whole = max(steps, key=lambda row: row.median_ms), sum(row.median_ms for row in steps)
        bins = next(row for row in steps if row.part == "bins")
        return longest is bins, (f"{bins.median_ms / whole:.0%}"
                                 + ("" if longest is bins else f", and {longest.part} {longest.median_ms / whole:.0%}"))

    return judged(results, "Of the steps, histogram binning takes the most (37 %)", judge)


def larger_part(results):
    """Features take 70 to 77 % of the CPU's time (section 4)."""
    def judge(results, _, shown):
        made, total = (cases.cpu(results, shown, "one", part) for part in ("features", "total"))
        if not made or not total:
            return None
        share = made.median_ms / total.median_ms
        return share > 0.5, f"{share:.0%}, {made.threads} threads"

    return judged(results, "On the CPU features take the longest (70 and 77 %)", judge, {WHOLE: results.cuda})


def alone(way):
    """"On their own does not yield any speedups" (section 5, Table 2)."""
    def judge(results, rows, shown):
        on_cpu, row = cases.cpu(results, shown, "one", "evaluation"), cases.evaluation(rows, shown, "one", way)
        if not on_cpu or not row:
            return None
        ratio = on_cpu.median_ms / row.median_ms
        return ratio < 1, (f"{row.median_ms:.3f} ms, the CPU {on_cpu.median_ms:.2f} ({on_cpu.threads} threads): "
                           f"x {ratio:.3g}")

    return lambda results: judged(
        results, f"{way.capitalize()} alone is slower than the CPU (published: x {published.PRINTED_SPEEDUPS[way]})", judge)


def hybrid(results):
    """The hybrid is the quickest variant (section 5, Table 2)."""
    def judge(_, rows, shown):
        ways = cases.ways(rows, shown, "one")
        if not {"hybrid", "window parallel", "stage parallel"} <= set(ways):
            return None
        best, window, stage = (ways[way] for way in ("hybrid", "window parallel", "stage parallel"))
        return best.median_ms < min(window.median_ms, stage.median_ms), (
            f"{best.median_ms:.3f} ms ({best.who}, {best.trees} trees first), window parallel {window.median_ms:.3f}, "
            f"stage parallel {stage.median_ms:.3f}")

    return judged(results, "The hybrid is quicker than either way alone", judge)


def ours_is_quicker(results):
    """Not a claim of the paper: compares its hybrid with our scan."""
    def judge(_, rows, shown):
        ways = cases.ways(rows, shown, "one")
        if not {"hybrid", "ours"} <= set(ways):
            return None
        best, ours = ways["hybrid"], ways["ours"]
        return ours.median_ms <= best.median_ms, f"{ours.median_ms:.3f} ms, the best hybrid {best.median_ms:.3f}"

    return judged(results, "Our scan of one scale is quicker than the best hybrid (unsaid)", judge)


def launches(results):
    """Blocks are launched on the device, "if dynamic parallelism is not available" a compaction (section 4.2.4)."""
    def judge(_, rows, shown):
        found = [cases.best_hybrid(rows, shown, "one", (name,)) for name in cases.HYBRIDS]
        if not all(found):
            return None
        compaction, *launched = found
        return min(row.median_ms for row in launched) < compaction.median_ms, ", ".join(
            f"{row.who[8:]} {row.median_ms:.3f} ms ({row.trees} trees, {row.alive} left)" for row in found)

    return judged(results, "Launching survivors on the device is better than compaction, each at its best number of trees",
                  judge)


def whole_groups(results):
    """Listing 2 gives up the same windows as the detector."""
    def judge(_, rows, shown):
        told = []
        for scales in ("one", "all"):
            exact, groups = (cases.evaluation(rows, shown, scales, who)
                             for who in ("stage parallel", "stage parallel, whole groups"))
            if exact and groups:
                told.append((exact.passed, groups.passed, scales))
        if not told:
            return None
        return all(exact == groups for exact, groups, _ in told), ", ".join(
            f"{groups} windows pass for {exact} ({scales} scale{'s' if scales == 'all' else ''})"
            for exact, groups, scales in told)

    text = judged(results, "Stage parallel finds what evaluation tree by tree finds", judge, {WHOLE: results.cuda})
    return text and text + ("\n  Listing 2 leaves a window where the sum of whole groups is too low, not the sum after "
                            "each tree. What is timed as stage parallel and hybrid here decides after each tree.\n")


def total(results):
    """The GPU is 3.8 times as fast as the CPU, for features and evaluation (section 5, Table 3)."""
    def judge(results, rows, shown):
        on_cpu, made = cases.cpu(results, shown, "one", "total"), cases.published_features(rows, shown)
        best = cases.best_hybrid(rows, shown, "one")
        if not on_cpu or not made or not best:
            return None
        together = made.median_ms + best.median_ms
        ours = cases.row_of(rows, shown, scales="one", part="total", who="ours")
        return on_cpu.median_ms / together >= 3.8, (
            f"{on_cpu.median_ms:.2f} ms on the CPU ({on_cpu.threads} threads), features as published and the best "
            f"hybrid {together:.3f}: x {on_cpu.median_ms / together:.1f}; our detector, from a frame on the device, "
            f"{ours.median_ms:.3f}")

    return judged(results, "All of it is 3.8 times as fast on the GPU, or more", judge)


def of_detector(rows, name):
    return next((row for row in rows if row.detector == name), None)


def compared(rows, where, claim, judge):
    """Compares the network with ACF. judge(milliseconds of the network, of ACF) returns the verdict."""
    network, acf, small = (of_detector(rows, name) for name in ("CenterFace", "ACF, own size", "ACF, faces from 20"))
    if not network or not acf or not small:
        return ""
    return (f"* **{claim}: {judge(network.median_ms, acf.median_ms)}.** On this {where}: CenterFace ({network.engine}) "
            f"{network.median_ms:.3g} ms, ACF {acf.median_ms:.3g}, and for faces from 20 pixels on, as CenterFace "
            f"finds them, {small.median_ms:.3g}. CenterFace stands in for YOLOv2, and is a smaller network.\n")


def network_on_gpu(results):
    """On a desktop's GPU, YOLOv2 is more than twice as fast as ACF (Table 4)."""
    return compared(results.detectors_cuda, "GPU", "On the GPU the network is more than twice as fast as ACF "
                    "(published: 44 against 96 ms)",
                    lambda network, acf: f"{verdict(acf > 2 * network)}: {acf / network:.2f} times as fast")


def network_on_cpu(results):
    """On a CPU, ACF is much faster (Table 4)."""
    return compared(results.detectors_cpu, "CPU", "On the CPU ACF is the quicker one by far (published: 364 against "
                    "2,805 ms, x 7.7)", lambda network, acf: f"{verdict(acf < network)}: x {network / acf:.1f}")


def accuracy(results):
    """The network is more accurate (section 6, Fig. 4)."""
    network, acf = of_detector(results.accuracy, "CenterFace"), of_detector(results.accuracy, "ACF, faces from 20")
    if not network or not acf:
        return ""
    return (f"* **The network is more accurate (published: {published.ACCURACY['YOLOv2']} against "
            f"{published.ACCURACY['ACF']} on INRIA): {verdict(network.medium > acf.medium)}.** Faces, WIDER FACE "
            f"medium: CenterFace {network.medium:.3f}, ACF {acf.medium:.3f}.\n")


def coarse_fine(results):
    """"Using a coarse detector lowers recall too much" (section 4.2.2, Fig. 2)."""
    rows = {row.detector: row for row in results.coarse}
    if not rows:
        return ""
    fine, both = rows["fine"], rows["coarse and fine"]
    return ("* **A coarse detector before the fine one lowers recall too much: can't be judged, because the paper gives a plot "
            f"alone; {both.medium - fine.medium:+.3f} here.** Average precision (WIDER FACE medium, {both.images} images) "
            f"goes from {fine.medium:.3f} to {both.medium:.3f} with {both.coarse_trees} coarse trees, which leave "
            f"{both.left:.1%} of the windows.\n")


def coarse_is_quicker(results):
    """"While in theory this approach would lead to speedups" (section 4.2.2)."""
    def judge(_, rows, shown):
        ways = cases.ways(rows, shown, "all")
        if not {"coarse and fine", "stage parallel", "hybrid"} <= set(ways):
            return None
        both, stage, best = (ways[way] for way in ("coarse and fine", "stage parallel", "hybrid"))
        return both.median_ms < stage.median_ms, (f"{both.median_ms:.3f} ms, all scales; stage parallel without it "
                                                  f"{stage.median_ms:.3f}, the best hybrid {best.median_ms:.3f}")

    return judged(results, "A coarse detector first speeds up evaluation by blocks (in theory)", judge, {WHOLE: results.cuda})


CLAIMS = (features, longest_step, larger_part, alone("window parallel"), alone("stage parallel"), hybrid, ours_is_quicker,
          launches, whole_groups, total, coarse_fine, coarse_is_quicker, network_on_gpu, network_on_cpu, accuracy)
