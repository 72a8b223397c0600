"""Judges the paper's claims by our tables. A text contains the measured numbers, and is "" if there are none."""
import verdicts
from viola_jones import averages, published
from viola_jones.averages import VARIANTS

BASIC, SHARED, DYNAMIC = VARIANTS


def section(results, beside=()):
    return verdicts.section("The paper's claims", CLAIMS, results, beside)


def held(does):
    return "held" if does else "not held"


def places(results):
    """Returns {place: its tables of frames and of scales}."""
    used = averages.multiprocessors_of_part(results)
    return {f"{used} multiprocessors (a C2050 has 14)": (results.part_frames, results.part_scales),
            "the whole chip": (results.frames, results.scales)}


def first_input(rows):
    return next(iter(averages.kinds(rows)), None)


def grids(results):
    """Table 2."""
    ours = {row.scale + 1: row for row in results.grids}
    if not ours:
        return ""
    same = len(ours) == max(published.GRIDS) and all(
        (round(ours[launch].factor, 2), ours[launch].block_columns, ours[launch].block_rows) == row
        for launch, row in published.GRIDS.items())
    windows = [row.windows() for row in results.grids]
    return (f"* **Table 2, 18 launches and their grids: {held(same)}.** {len(windows)} scales, {sum(windows):,} "
            f"windows, of which the first scale has {windows[0] / sum(windows):.1%}.\n")


def faster(results):
    """"The dynamic warp scheduling variant is 3.1 and 2.6 times faster" (abstract, section 6.2.1)."""
    def judge(frames, _, name):
        rates = averages.rates(frames, name)
        if SHARED not in rates or DYNAMIC not in rates:
            return None
        ratio = rates[DYNAMIC] / rates[SHARED]
        return ratio >= 2.6, f"{ratio:.2f} times"

    return both_places(results, "Dynamic warps are 2.6 to 3.1 times as fast as static threads with shared memory", judge)


def both_places(results, claim, judge):
    """Judges a claim on a part with the size of the paper's chip, and on the whole chip, if they were measured.

    judge(frames, scales, name) returns whether the claim held for an input, and a text with its numbers, or None if
    nothing was measured.
    """
    judged = {place: of_inputs(results, tables, lambda name, tables=tables: judge(*tables, name))
              for place, tables in places(results).items()}
    told = {place: one for place, one in judged.items() if one}
    if not told:
        return ""
    verdict = "; ".join(f"{does} on {place}" for place, (does, _) in told.items())
    return f"* **{claim}: {verdict}.** " + " ".join(f"On {place}: {words}." for place, (_, words) in told.items()) + "\n"


def of_inputs(results, tables, judge):
    """Returns the verdict over all inputs in the tables, which says where they differ, and a text with their numbers.
    Returns None if nothing was measured. judge(name) is for one input."""
    names = averages.kinds([row for table in tables for row in table])
    judged = {name: one for name in names if (one := judge(name))}
    if not judged:
        return None
    if len(judged) == 1:
        [(does, words)] = judged.values()
        return held(does), words
    same = len({does for does, _ in judged.values()}) == 1
    verdict = held(next(iter(judged.values()))[0]) if same else " and ".join(
        f"{held(does)} by {results.label(name)}" for name, (does, _) in judged.items())
    return verdict, "; ".join(f"{words}, by {results.label(name)}" for name, (_, words) in judged.items())


def over_inputs(results, claim, rows, judge, by="", before=""):
    """Judges a claim on all inputs in the rows, as of_inputs() does. `by` follows the verdict, `before` precedes the
    numbers."""
    judged = of_inputs(results, [rows], judge)
    if not judged:
        return ""
    verdict, told = judged
    return f"* **{claim}: {verdict}{by}.** {before}{told}.\n"


def others(results):
    """Not a claim of the paper: names what is faster than the paper's best variant."""
    def judge(name):
        rates = averages.rates(results.frames, name)
        if DYNAMIC not in rates:
            return None
        ahead = [who for who in averages.ORDER[3:] if rates.get(who, 0) > rates[DYNAMIC]]
        windows = {who: " (other windows)" if who in averages.OTHER_WINDOWS else "" for who in ahead}
        return not ahead, ", ".join(f"{who} {rates[who] / rates[DYNAMIC]:.2f} times{windows[who]}"
                                    for who in ahead) or "nobody"

    return over_inputs(results, "No other schedule is quicker than dynamic warps (unsaid)", results.frames, judge,
                       before=f"As fast as they are, by frame rate with copies, on {results.device('variants')}: ")


def shared_memory(results):
    """"A significant performance benefit on the C1060 - 24 % - but ... 2 % on the Fermi device" (section 6.2.1)."""
    def judge(frames, _, name):
        rows = averages.of_frames(frames, name, "with copies")
        if BASIC not in rows or SHARED not in rows:
            return None
        gain = averages.fps(rows[SHARED]) / averages.fps(rows[BASIC]) - 1
        return gain <= 0.1, f"{gain:+.1%}"

    return both_places(results, "Caches leave shared memory little to gain (24 % before Fermi, 2 % on Fermi)", judge)


def cached_stages(results):
    """"No significant difference in running times for these different values of 7 <= K <= 15" (section 5.3)."""
    name = first_input(results.choices)
    found = averages.by_choice(results.choices, DYNAMIC, "K", name) if name else {}
    rates = {cached: averages.mean_us(rows) for cached, rows in found.items()
             if published.LEAST_CACHED <= cached <= published.MOST_CACHED}
    if len(rates) < 2:
        return ""
    spread = max(rates.values()) / min(rates.values()) - 1
    most = max(row.high_us / row.low_us for rows in found.values() for row in rows) - 1
    repeats = results.facts["parts"].get("choices", {"repeats": 1})["repeats"]
    repeated = f"a repeat of the same differs by up to {most:.1%}" if repeats > 1 else "each K was measured once"
    first = averages.mean_us(found[min(found)])
    return (f"* **K makes no significant difference from 7 to 15: {held(spread <= max(most, 0.02))}.** The slowest K "
            f"takes {spread:.1%} longer than the quickest ({repeated}); K = "
            f"{min(found)} takes {first / min(rates.values()):.2f} times as long.\n")


def block_sides(results):
    """"We tried out different thread block sizes and found a 16 x 16 thread block to be optimal" (section 5.2)."""
    name = first_input(results.choices)
    best, told = [], []
    for who in VARIANTS if name else ():
        sides = {side: averages.mean_us(rows) / 1000
                 for side, rows in averages.by_choice(results.choices, who, "blocks of", name).items()}
        if len(sides) > 1:
            best.append(min(sides, key=sides.get))
            told.append(f"{who}: " + ", ".join(f"{side} x {side} {ms:.3f} ms" for side, ms in sides.items()))
    if not best:
        return ""
    return (f"* **Blocks of 16 x 16 are optimal: {held(all(side == published.BLOCK_SIDE for side in best))}.** "
            f"{'; '.join(told)}.\n")


def little_by_picture(results):
    """"The speed of the face detector depends only slightly on the input image" (section 6.2.1)."""
    rates = [1e6 / row.median_us for row in results.frames if (row.who, row.copies) == (DYNAMIC, "with copies")]
    if len(rates) < 2:
        return ""
    spread = max(rates) / min(rates) - 1
    return ("* **The speed depends only slightly on the picture: can't be judged, because the paper names no bound.** "
            f"The quickest of {len(rates)} pictures has {spread:.0%} more frames a second than the slowest, by dynamic warps.\n")


def first_scales(results):
    """"The first 10 scale factors contribute ... more than 90 %" (section 6.3.1)."""
    of_first = lambda shares: sum(share for scale, share in shares.items() if scale < published.FIRST_SCALES)

    def judge(name):
        stumps = averages.stumps(results, name)
        if not stumps:
            return None
        by_stumps = of_first(averages.shares(stumps))
        times = averages.shares(averages.scale_times(results.scales, DYNAMIC, name))
        told = f", {of_first(times):.1%} of the time of dynamic warps" if times else ""
        return ((of_first(times) if times else by_stumps) > published.THEIR_WORK,
                f"{by_stumps:.1%} of the stumps evaluated{told}")

    return over_inputs(results, "The first ten scales are more than 90 % of the work", results.work, judge,
                       by=" by time" if results.scales else "")


def few_go_on(results):
    """"Perhaps just one thread per block will reach stage K + 1", K = 7 (section 5.3)."""
    blocks = sum(row.block_columns * row.block_rows for row in results.grids)
    windows = sum(row.windows() for row in results.grids)

    def judge(name):
        of_input = [row for row in results.stages if averages.kind(row.picture) == name]
        left = sum(row.left for row in of_input if row.stage == published.CACHED_STAGES - 1)
        left /= len({row.picture for row in of_input})
        return left / blocks <= 2, (f"{left:,.0f} of {windows:,} windows ({left / windows:.1%}) pass them, "
                                    f"{left / blocks:.1f} of a block's 256")

    return over_inputs(results, "After seven stages perhaps one thread of a block goes on",
                       results.stages if blocks else [], judge)


def occupancy(results):
    """"Always achieves higher SM occupancy ... on the first 10 scale factors" (section 6.3.1)."""
    def judge(_, scales, name):
        dynamic, *static = [averages.active_warps(scales, who, name) for who in (DYNAMIC, BASIC, SHARED)]
        if not dynamic or not all(static):
            return None
        first = [scale for scale in dynamic if scale < published.FIRST_SCALES]
        higher = [scale for scale in first if all(dynamic[scale] > other[scale] for other in static)]
        return (len(higher) == len(first),
                f"on {len(higher)} of {len(first)}; at the first scale {dynamic[0]:.1f}, static threads "
                f"{static[0][0]:.1f} and {static[1][0]:.1f} with shared memory")

    return both_places(results, "Dynamic warps have more active warps on each of the first ten scales", judge)


def saturation(results):
    """"At 6 GPUs, performance saturates"; 4.6 times with 5 (section 6.2.2)."""
    name = first_input(results.devices)
    found = averages.of_devices(results, name, "simulated", "scales") if name else {}
    if not {1, 5, 6} <= set(found):
        return ""
    speedup = {devices: averages.fps(rows) / averages.fps(found[1]) for devices, rows in found.items()}
    measured = {how: averages.of_devices(results, name, how, "scales") for how in ("MPI", "threads")}
    most = {how: max(rows, default=1) for how, rows in measured.items()}
    how = max(most, key=most.get)
    saturates = speedup[6] < 1.1 * speedup[5]
    verdict = held(saturates) if most[how] >= 6 else (
        f"can't be judged by {most[how]} device{'s' if most[how] > 1 else ''}, and by the simulation {held(saturates)}")
    there = ""
    if most[how] > 1 and 1 in measured[how]:
        one = averages.fps(measured[how][1])
        there = f" Measured by {how}: " + ", ".join(f"{averages.fps(rows) / one:.2f} times with {count}"
                                                   for count, rows in measured[how].items() if count > 1) + "."
    there += saturation_of_parts(results)
    times = averages.scale_times(results.scales, DYNAMIC, name)
    share = max(averages.shares(times).values()) if times else 0
    largest = (f" The largest scale is {share:.1%} of all scales' time, which alone bounds them to "
               f"{1 / share:.1f} times." if share else "")
    return (f"* **Scales dealt over devices saturate at 5 to 6: {verdict}.**{there} Simulated from measured work: "
            f"{speedup[2]:.2f} times as fast with 2, {speedup[5]:.2f} with 5 (published "
            f"{published.SPEEDUP_OF_5}), {speedup[6]:.2f} with 6.{largest} Copies and the integral image, which each "
            "device makes anew, come on top.\n")


def saturation_of_parts(results):
    """Returns a sentence about several chips of the paper's size, simulated from the times of the scales on a part."""
    name = first_input(results.part_scales)
    times = averages.scale_times(results.part_scales, DYNAMIC, name) if name else {}
    if not times:
        return ""
    one = sum(times.values())
    speedups = [one / slowest_share(times.values(), devices) for devices in (2, 5, 6)]
    return (f" On chips of {averages.multiprocessors_of_part(results)} multiprocessors, simulated from the times of the "
            f"scales there: {speedups[0]:.2f} with 2, {speedups[1]:.2f} with 5, {speedups[2]:.2f} with 6: "
            f"{held(speedups[2] < 1.1 * speedups[1])}.")


def slowest_share(times, devices):
    """Deals the longest time first, each to the device with the least so far. Returns the most that a device gets."""
    sums = [0] * devices
    for one in sorted(times, reverse=True):
        sums[sums.index(min(sums))] += one
    return max(sums)


def unavoidable(results):
    """"The static distribution is unavoidable", because the work of a scale isn't known before (section 6.3.2)."""
    name = first_input(results.devices)
    measured = {dealt: averages.of_devices(results, name, "threads", dealt) if name else {}
                for dealt in ("scales", "bands", "frames")}
    most = max(measured["frames"], default=1)
    if most == 1:
        return ""
    fps = {dealt: averages.fps(rows[most]) for dealt, rows in measured.items()}
    best = max(fps, key=fps.get)
    return (f"* **A static deal of scales, by what they take, is unavoidable: {held(best == 'scales')}.** On {most} "
            f"devices, frames a second: " + ", ".join(f"{dealt} {rate:,.0f}" for dealt, rate in fps.items())
            + f"; one device has {averages.fps(measured['scales'][1]):,.0f}. Whole frames a device need no knowledge "
            "of the work, do nothing twice, and let nobody wait. Bands of each scale's rows need none either, but a "
            "band takes nearly as long as its whole scale where the chip has more room than work.\n")


CLAIMS = (grids, faster, others, shared_memory, cached_stages, block_sides, little_by_picture, first_scales, few_go_on,
          occupancy, saturation, unavoidable)
