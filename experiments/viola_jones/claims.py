"""What our tables say of the paper's claims. Each text names the number, and exists only if it was measured."""
from viola_jones import averages, published
from viola_jones.averages import VARIANTS

BASIC, SHARED, DYNAMIC = VARIANTS


def section(results):
    told = [text for claim in (grids, faster, shared_memory, little_by_picture, first_scales, few_go_on, occupancy,
                               saturation, unavoidable) if (text := claim(results))]
    return "### The paper's claims\n\n" + ("\n".join(told) if told else "None could be tested here.\n")


def held(does):
    return "held" if does else "not held"


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
    name = first_input(results.frames)
    rates = {copies: {who: averages.fps(rows) for who, rows in averages.of_frames(results, name, copies).items()}
             for copies in ("with copies", "without")} if name else {}
    if any(who not in of_copies for of_copies in rates.values() for who in (SHARED, DYNAMIC)) or not rates:
        return ""
    ratios = {copies: of_copies[DYNAMIC] / of_copies[SHARED] for copies, of_copies in rates.items()}
    ahead = [who for who in averages.ORDER[3:] if rates["with copies"].get(who, 0) > rates["with copies"][DYNAMIC]]
    told = ", ".join(f"{who} {rates['with copies'][who] / rates['with copies'][DYNAMIC]:.2f} times" for who in ahead)
    return (f"* **Dynamic warps are 2.6 to 3.1 times as fast as static threads with shared memory: "
            f"{held(ratios['with copies'] >= 2.6)}.** {ratios['with copies']:.2f} times here "
            f"({ratios['without']:.2f} without copies), {results.device('variants')}. As fast as dynamic warps are, "
            f"by frame rate with copies: {told or 'nobody is faster'}.\n")


def shared_memory(results):
    """"A significant performance benefit on the C1060 - 24 % - but ... 2 % on the Fermi device" (section 6.2.1)."""
    name = first_input(results.frames)
    rows = averages.of_frames(results, name, "with copies") if name else {}
    if BASIC not in rows or SHARED not in rows:
        return ""
    gain = averages.fps(rows[SHARED]) / averages.fps(rows[BASIC]) - 1
    return (f"* **Caches leave shared memory little to gain (24 % before Fermi, 2 % on Fermi): "
            f"{held(gain <= 0.1)}.** {gain:+.1%} here.\n")


def little_by_picture(results):
    """"The speed of the face detector depends only slightly on the input image" (section 6.2.1)."""
    rates = [1e6 / row.median_us for row in results.frames if (row.who, row.copies) == (DYNAMIC, "with copies")]
    if len(rates) < 2:
        return ""
    spread = max(rates) / min(rates) - 1
    return (f"* **The speed depends only slightly on the picture: {held(spread <= 0.15)}.** The quickest of "
            f"{len(rates)} pictures has {spread:.0%} more frames a second than the slowest, by dynamic warps.\n")


def first_scales(results):
    """"The first 10 scale factors contribute ... more than 90 %" (section 6.3.1)."""
    name = first_input(results.work)
    if not name:
        return ""
    of_first = lambda shares: sum(share for scale, share in shares.items() if scale < published.FIRST_SCALES)
    by_stumps = of_first(averages.shares(averages.stumps(results, name)))
    times = averages.shares(averages.scale_times(results, DYNAMIC, name))
    told = f", {of_first(times):.1%} of the time of dynamic warps" if times else ""
    shares = of_first(times) if times else by_stumps
    return (f"* **The first ten scales are more than 90 % of the work: {held(shares > published.THEIR_WORK)}"
            f"{' by time' if times else ''}.** {by_stumps:.1%} of the stumps evaluated{told}.\n")


def few_go_on(results):
    """"Perhaps just one thread per block will reach stage K + 1", K = 7 (section 5.3)."""
    name = first_input(results.stages)
    blocks = sum(row.block_columns * row.block_rows for row in results.grids)
    if not name or not blocks:
        return ""
    pictures = {row.picture for row in results.stages if averages.kind(row.picture) == name}
    left = sum(row.left for row in results.stages
               if averages.kind(row.picture) == name and row.stage == published.CACHED_STAGES - 1) / len(pictures)
    windows = sum(row.windows() for row in results.grids)
    return (f"* **After seven stages perhaps one thread of a block goes on: {held(left / blocks <= 2)}.** "
            f"{left:,.0f} of {windows:,} windows ({left / windows:.1%}) pass them, {left / blocks:.1f} of a block's "
            "256.\n")


def occupancy(results):
    """"Always achieves higher SM occupancy ... on the first 10 scale factors" (section 6.3.1)."""
    name = first_input(results.scales)
    if not name:
        return ""
    dynamic, others = averages.active_warps(results, DYNAMIC, name), [
        averages.active_warps(results, who, name) for who in (BASIC, SHARED)]
    if not dynamic or not all(others):
        return ""
    first = [scale for scale in dynamic if scale < published.FIRST_SCALES]
    higher = [scale + 1 for scale in first if all(dynamic[scale] > other[scale] for other in others)]
    return (f"* **Dynamic warps have more active warps on each of the first ten scales: "
            f"{held(len(higher) == len(first))}.** On {len(higher)} of {len(first)}; at the first scale "
            f"{dynamic[0]:.1f}, static threads {others[0][0]:.1f} and {others[1][0]:.1f} with shared memory. "
            "A chip of that day had 14 multiprocessors, for which 1,200 blocks are many.\n")


def saturation(results):
    """"At 6 GPUs, performance saturates"; 4.6 times with 5 (section 6.2.2)."""
    name = first_input(results.devices)
    found = averages.of_devices(results, name, "simulated", "scales") if name else {}
    if not {1, 5, 6} <= set(found):
        return ""
    speedup = {devices: averages.fps(rows) / averages.fps(found[1]) for devices, rows in found.items()}
    saturates = speedup[6] < 1.1 * speedup[5]
    times = averages.scale_times(results, DYNAMIC, name)
    share = max(averages.shares(times).values()) if times else 0
    largest = (f" The largest scale is {share:.1%} of all scales' time, which alone bounds them to "
               f"{1 / share:.1f} times." if share else "")
    return (f"* **Scales dealt over devices saturate at 5 to 6: {held(saturates)}.** Simulated from measured work: "
            f"{speedup[2]:.2f} times as fast with 2, {speedup[5]:.2f} with 5 (published "
            f"{published.SPEEDUP_OF_5}), {speedup[6]:.2f} with 6.{largest} Copies and the integral image, which each "
            "device makes anew, come on top.\n")


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
            + f"; one device has {averages.fps(measured['scales'][1]):,.0f}. Whole frames a device need no knowledge of "
            "the work, do nothing twice, and let nobody wait. Bands of each scale's rows need none either, but a band "
            "takes nearly as long as its whole scale where the chip has more room than work.\n")
