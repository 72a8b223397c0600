"""What our tables say of the paper's claims. Each text names the number, and exists only if it was measured."""
from acf import cases, published


def section(results):
    shown = next(iter(cases.all_shown(results)), None)
    told = [claim(results, shown) for claim in OF_TIMES] if shown else []
    told += [claim(results) for claim in OF_DETECTORS]
    told = [text for text in told if text]
    return "### The paper's claims\n\n" + ("\n".join(told) if told else "None could be tested here.\n")


def verdict(holds):
    return "holds" if holds else "not so here"


def features(results, shown):
    """"An order of magnitude or more speedup" (section 5, Table 1)."""
    on_cpu, on_gpu = cases.cpu(results, shown, "one", "features"), cases.published_features(results, shown)
    if not on_cpu or not on_gpu:
        return ""
    ratio = on_cpu.median_ms / on_gpu.median_ms
    ours = cases.row_of(results.cuda, shown, scales="one", part="features", who="ours")
    return (f"* **Features are an order of magnitude quicker on the GPU: {verdict(ratio >= 10)}.** One scale: "
            f"{on_cpu.median_ms:.2f} ms on the CPU ({on_cpu.threads} threads), {on_gpu.median_ms:.3f} on the GPU as "
            f"published, with the upload: x {ratio:.0f} (published: x 11 and 25.6). Our kernels take "
            f"{ours.median_ms:.3f} of a frame that is there.\n")


def longest_step(results, shown):
    """Histogram binning takes the longest (listing 1)."""
    steps = cases.rows_of(results.cuda, shown, scales="one", who=cases.PUBLISHED_FEATURES)
    steps = [row for row in steps if row.part in cases.STEPS]
    if not steps:
        return ""
    longest = max(steps, key=lambda row: row.median_ms)
    whole = sum(row.median_ms for row in steps)
    bins = next(row for row in steps if row.part == "bins")
    other = "" if longest is bins else f"; {longest.part} {longest.median_ms / whole:.0%}"
    return (f"* **Of the steps, histogram binning takes the most (37 %): {verdict(longest is bins)}.** "
            f"{bins.median_ms / whole:.0%} here{other}.\n")


def larger_part(results, shown):
    """Features take 70 to 77 % of the CPU's time (section 4)."""
    made, total = (cases.cpu(results, shown, "one", part) for part in ("features", "total"))
    if not made or not total:
        return ""
    share = made.median_ms / total.median_ms
    return (f"* **On the CPU features take the longest (70 and 77 %): {verdict(share > 0.5)}.** {share:.0%} here, one "
            f"scale, {made.threads} threads.\n")


def alone(results, shown):
    """"On their own does not yield any speedups" (section 5, Table 2)."""
    on_cpu = cases.cpu(results, shown, "one", "evaluation")
    ways = cases.ways(results, shown, "one")
    if not on_cpu or not ways:
        return ""
    told = []
    for way in ("window parallel", "stage parallel"):
        ratio = on_cpu.median_ms / ways[way].median_ms
        told.append(f"* **{way.capitalize()} alone is slower than the CPU (published: x "
                    f"{published.EVALUATION_MS['DES']['CPU'] / published.EVALUATION_MS['DES'][way]:.2g}): "
                    f"{verdict(ratio < 1)}.** {ways[way].median_ms:.3f} ms, the CPU {on_cpu.median_ms:.2f} "
                    f"({on_cpu.threads} threads): x {ratio:.3g}.\n")
    return "\n".join(told)


def hybrid(results, shown):
    """The hybrid is the quickest variant (section 5, Table 2)."""
    ways = cases.ways(results, shown, "one")
    if "hybrid" not in ways:
        return ""
    best, window = ways["hybrid"], ways["window parallel"]
    holds = best.median_ms < min(window.median_ms, ways["stage parallel"].median_ms)
    return (f"* **The hybrid is quicker than either way alone: {verdict(holds)}.** {best.median_ms:.3f} ms "
            f"({best.who}, {best.trees} trees first), window parallel {window.median_ms:.3f}, stage parallel "
            f"{ways['stage parallel'].median_ms:.3f}; our detector {ways['ours'].median_ms:.3f}.\n")


def launches(results, shown):
    """Blocks are launched on the device, "if dynamic parallelism is not available" a compaction (section 4.2.4)."""
    found = [cases.best_hybrid(results, shown, "one", (name,)) for name in cases.HYBRIDS]
    if not all(found):
        return ""
    quickest = min(found, key=lambda row: row.median_ms)
    return ("* **Survivors are launched where the device can, compacted else.** Each way at its best number of trees: "
            + ", ".join(f"{row.who[8:]} {row.median_ms:.3f} ms ({row.trees} trees, {row.alive} left)" for row in found)
            + f". The quickest here: {quickest.who[8:]}.\n")


def whole_groups(results, shown):
    """The exit of listing 2 is the detector's own exit."""
    told = []
    for scales in ("one", "all"):
        exact, groups = (cases.evaluation(results, shown, scales, who)
                         for who in ("stage parallel", "stage parallel, whole groups"))
        if exact and groups:
            told.append((exact.passed, groups.passed, scales))
    if not told:
        return ""
    differs = any(exact != groups for exact, groups, _ in told)
    return ("* **Stage parallel finds what evaluation tree by tree finds: "
            + ("not so by listing 2" if differs else "nothing here shows otherwise, though the rules differ")
            + ".** It leaves a window where the sum of whole groups is too low, not the sum after each tree: "
            + ", ".join(f"{groups} windows pass for {exact} ({scales} scale{'s' if scales == 'all' else ''})"
                        for exact, groups, scales in told)
            + ". What is timed as stage parallel and hybrid here decides after each tree.\n")


def total(results, shown):
    """The GPU is 3.8 times as fast as the CPU, for features and evaluation (section 5, Table 3)."""
    on_cpu, made = cases.cpu(results, shown, "one", "total"), cases.published_features(results, shown)
    best = cases.best_hybrid(results, shown, "one")
    if not on_cpu or not made or not best:
        return ""
    together = made.median_ms + best.median_ms
    ours = cases.row_of(results.cuda, shown, scales="one", part="total", who="ours")
    return (f"* **All of it is 3.8 times as fast on the GPU: x {on_cpu.median_ms / together:.1f} here.** One scale: "
            f"{on_cpu.median_ms:.2f} ms on the CPU ({on_cpu.threads} threads), features as published and the best "
            f"hybrid {together:.3f}; our detector, from a frame on the device, {ours.median_ms:.3f}.\n")


def of_detector(rows, name):
    return next((row for row in rows if row.detector == name), None)


def networks(results):
    """On a desktop's GPU, YOLOv2 is more than twice as fast as ACF. On a CPU, ACF is much faster (Table 4)."""
    told = []
    for rows, where, claim, holds in (
            (results.detectors_cuda, "GPU", "On the GPU the network is quicker than ACF (published: 44 against 96 ms)",
             lambda network, acf: network < acf),
            (results.detectors_cpu, "CPU", "On the CPU ACF is the quicker one by far (published: 364 against 2,805 ms)",
             lambda network, acf: acf < network)):
        network, acf = of_detector(rows, "CenterFace"), of_detector(rows, "ACF, own size")
        small = of_detector(rows, "ACF, faces from 20")
        if network and acf and small:
            told.append(f"* **{claim}: {verdict(holds(network.median_ms, acf.median_ms))}.** On this {where}: "
                        f"CenterFace ({network.engine}) {network.median_ms:.3g} ms, ACF {acf.median_ms:.3g}, and for "
                        f"faces from 20 pixels on, as CenterFace finds them, {small.median_ms:.3g}.\n")
    return "\n".join(told)


def accuracy(results):
    """The network is more accurate (section 6, Fig. 4)."""
    network, acf = of_detector(results.accuracy, "CenterFace"), of_detector(results.accuracy, "ACF, faces from 20")
    if not network or not acf:
        return ""
    return (f"* **The network is more accurate (published: {published.ACCURACY['YOLOv2']} against "
            f"{published.ACCURACY['ACF']} on INRIA): {verdict(network.medium > acf.medium)}.** Faces, WIDER FACE "
            f"medium: CenterFace {network.medium:.3f}, ACF {acf.medium:.3f}.\n")


OF_TIMES = (features, longest_step, larger_part, alone, hybrid, launches, whole_groups, total)
OF_DETECTORS = (networks, accuracy)
