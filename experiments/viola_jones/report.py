"""The section on Viola-Jones: compares our tables with the published ones."""
import statistics

from markdown import table
from report import section_of
from viola_jones import averages, claims, published
from viola_jones.inputs import even
from viola_jones.tables import PARTS_OF_TABLES

PARTS = tuple(dict.fromkeys(PARTS_OF_TABLES.values()))


def section(results, captions, tables, beside=()):
    return section_of(results, captions, tables, [head(tables), inputs(results)], claims.section(results, beside), SECTIONS,
                      PARTS, PARTS_OF_TABLES)


def head(tables):
    return ("## Viola-Jones: Nguyen et al. 2013 (paper 003)\n\n"
            f"Tables as CSV are in [{tables}]({tables}). The paper's variants and OpenCV's schedule are built anew in "
            "`experiments/programs/viola_jones`, and find exactly the windows of a plain loop: the window scaled by "
            "1.2 again and again, at steps of the scale's whole part, nothing grouped. How the paper scales features "
            "it doesn't tell (here as OpenCV 1: `experiments/programs/viola_jones/stumps.h`). *facepipe* is our "
            "detector with its own windows, those of OpenCV 4 on the CPU: the picture is scaled, the first scales step "
            "by 2 pixels, and after a window that fails at once the next one is left out. Times on the GPU are between "
            "two events: of replays of a graph; of OpenCV's schedule, which waits for the host, of the calls. Given is "
            "the mean over pictures of medians.\n")


def inputs(results):
    rows = [(one["name"], one["label"], "x".join(map(str, one["size"])), "yes" if one["stand_in"] else "no")
            for one in results.facts["inputs"].values()]
    found = {name: [sum(row.found for row in results.work if row.picture == picture)
                    for picture in sorted({row.picture for row in results.work})
                    if averages.kind(picture) == name] for name in averages.INPUTS}
    told = "".join(f" {name}: {min(counts)} to {max(counts)} windows pass, of faces found many times."
                   for name, counts in found.items() if counts)
    return ("### Inputs\n\n" + table(("input", "what", "size", "stand-in"), rows)
            + f"\nPublished: {published.PICTURES} grey VGA pictures of 1 to 20 faces, which are not at hand.{told}\n")


def grids(results):
    rows = [(row.scale + 1, f"{row.factor:.2f}", f"{row.block_columns} x {row.block_rows}",
             row.block_columns * row.block_rows, f"{row.windows():,}",
             published_grid(row.scale + 1)) for row in results.grids]
    return table(("launch", "scale factor", "grid", "blocks", "windows", "published grid"), rows) if rows else ""


def published_grid(launch):
    factor, columns, rows = published.GRIDS.get(launch, (None, None, None))
    return f"{columns} x {rows}" if factor else ""


def variants(results):
    lines = variant_lines(results, results.frames)
    if not lines:
        return ""
    return (f"{results.device('variants')}.\n\n" + table(VARIANTS_HEADER, lines)
            + "\nIn brackets the least and the greatest picture's median. facepipe and whole scales look at other windows. "
            + published_rates())


VARIANTS_HEADER = ("input", "who", "frames a second", "ms with copies", "ms without", "windows")


def variant_lines(results, frames):
    lines = []
    for name in averages.kinds(frames):
        with_copies, without = (averages.of_frames(frames, name, copies) for copies in ("with copies", "without"))
        lines += [(results.label(name), who, f"{averages.fps(rows):,.0f}", milliseconds(rows),
                   milliseconds(without[who]) if who in without else "",
                   f"{statistics.mean(row.found for row in rows):.0f}") for who, rows in with_copies.items()]
    return lines


def published_rates():
    told = "; ".join(f"{gpu} {rate}" for gpu, rate in published.DYNAMIC_FPS.items())
    derived = "; ".join(f"{gpu}: " + ", ".join(f"{who} {rates[who]:.1f}" for who in averages.VARIANTS[:-1])
                        for gpu, rates in published.fps_of_variants().items())
    return (f"Published, frames a second of dynamic warps: {told}; derived from these and the published ratios: "
            f"{derived}.\n")


def part_of_chip(results):
    lines = variant_lines(results, results.part_frames)
    if not lines:
        return ""
    used = averages.multiprocessors_of_part(results)
    return (f"The same on {used} of the multiprocessors, by a green context; a C2050 has 14 and a C1060 30.\n\n"
            + table(VARIANTS_HEADER, lines) + "\n" + published_rates())


def choices(results):
    lines = []
    for name in averages.kinds(results.choices):
        for who in dict.fromkeys(row.who for row in results.choices):
            rows = [row for row in results.choices if row.who == who and averages.kind(row.picture) == name]
            if rows:
                lines.append((results.label(name), who, f"{averages.fps(rows):,.0f}", milliseconds(rows),
                              f"{statistics.mean(row.found for row in rows):.0f}"))
    if not lines:
        return ""
    return (f"Whole frames without copies, {results.device('choices')}. Published: blocks of {published.BLOCK_SIDE} x "
            f"{published.BLOCK_SIDE}, K = 7, ratio 1.2, all windows from the smallest on.\n\n"
            + table(("input", "what", "frames a second", "ms", "windows"), lines))


def sizes(results):
    """Compares the earlier designs of Table 1 with our programs, at the pictures' sizes of these designs."""
    lines = []
    for design, size, rate in published.TABLE_1:
        name = f"table1_{'x'.join(map(str, even(size)))}"
        own = [next((f"{1e6 / row.median_us:,.0f}" for row in results.sizes
                     if (row.picture, row.who, row.copies) == (name, who, "with copies")), "")
               for who in (averages.VARIANTS[1], averages.VARIANTS[2], "facepipe")]
        if any(own):
            lines.append((design, "x".join(map(str, size)), rate, *own))
    if not lines:
        return ""
    return (f"Frames a second with copies, {results.device('sizes')}, on one picture cut from the demo photo at each "
            "size. The designs' pictures, cascades, scales and shortcuts differ, as the paper says itself, so the "
            "columns compare machines and algorithms at once. [19] tells no size. Odd sides have a pixel less here.\n\n"
            + table(("design", "size", "published", averages.VARIANTS[1], averages.VARIANTS[2], "facepipe (other windows)"),
                    lines))


def milliseconds(rows):
    medians = [row.median_us / 1000 for row in rows]
    return f"{statistics.mean(medians):.3f} ({min(medians):.3f}-{max(medians):.3f})"


def cpu(results):
    lines = []
    for name in averages.kinds(results.cpu):
        for who in results.names("cpu"):
            rows = [row for row in results.cpu if row.who == who and averages.kind(row.picture) == name]
            if rows:
                lines.append((results.label(name), who, f"{averages.fps(rows):,.2f}", milliseconds(rows),
                              f"{statistics.mean(row.found for row in rows):.0f}"))
    return table(("input", "who", "frames a second", "ms", "windows"), lines) if lines else ""


def several_devices(results):
    lines = []
    for name in averages.kinds(results.devices):
        for how in ("simulated", "threads", "MPI"):
            for dealt in ("scales", "bands", "frames"):
                found = averages.of_devices(results, name, how, dealt)
                if found:
                    one = averages.fps(found[min(found)])
                    lines.append((results.label(name), dealt, how, *(
                        f"{averages.fps(found[devices]):,.0f} ({averages.fps(found[devices]) / one:.2f})"
                        if devices in found else "" for devices in range(1, 7))))
    if not lines:
        return ""
    told = ", ".join(f"{devices}: {rate}" for devices, rate in published.SEVERAL_FPS.items())
    return ("Frames a second with copies by number of devices, and how many times those of one. *Simulated*: devices "
            "that were not there, by the times of single scales. *Threads*, *MPI*: measured, a thread or a process a device.\n\n"
            + table(("input", "dealt", "how", *map(str, range(1, 7))), lines)
            + f"\nPublished, C2050s by MPI: {told} frames a second.\n")


def scales(results):
    lines = []
    name = next(iter(averages.kinds(results.work)), None) or next(iter(averages.kinds(results.scales)), None)
    if not name:
        return ""
    work = averages.shares(averages.stumps(results, name))
    times = {who: averages.scale_times(results.scales, who, name) for who in averages.VARIANTS}
    warps = {who: averages.active_warps(results.scales, who, name) for who in averages.VARIANTS}
    for scale in sorted(work or times[averages.VARIANTS[0]]):
        lines.append((scale + 1, f"{work[scale]:.1%}" if work else "",
                      *(f"{times[who][scale]:.1f}" if times[who] else "" for who in averages.VARIANTS),
                      *(f"{warps[who][scale]:.1f}" if warps[who] else "" for who in averages.VARIANTS)))
    return (f"{results.label(name)}; µs and active warps of each scale's kernel alone, "
            f"{results.device('scale-times')}.\n\n"
            + table(("scale", "stumps", *(f"µs, {who}" for who in averages.VARIANTS),
                     *(f"warps, {who}" for who in averages.VARIANTS)), lines))


def share_of_devices(results):
    lines = []
    for name in averages.kinds(results.devices):
        for how in ("simulated", "threads", "MPI"):
            for dealt in ("scales", "bands"):
                for devices in range(2, 7):
                    found = averages.shares(averages.of_each_device(results, name, how, dealt, devices))
                    if found:
                        lines.append((results.label(name), dealt, how, devices,
                                      " / ".join(f"{100 * share:.1f}" for share in found.values())))
    if not lines:
        return ""
    return ("Each device's part of all devices' time, %.\n\n"
            + table(("input", "dealt", "how", "devices", "parts"), lines)
            + f"\nPublished: 5 C2050s with parts alike, {published.EFFICIENCY_OF_5:.0%} efficient.\n")


SECTIONS = (
    ("Table 2: scales and grids", ["grids"], grids, []),
    ("Fig. 12: variants on one GPU", ["frames"], variants, ["frame_rates"]),
    ("Fig. 12 on a chip of the paper's size", ["part_frames"], part_of_chip, []),
    ("Sections 5.2 and 5.3: blocks, cached stages and ratios of scales", ["choices"], choices, ["choices"]),
    ("Table 1: earlier designs at their pictures' sizes", ["sizes"], sizes, []),
    ("Fig. 12's pictures on the CPU", ["cpu"], cpu, []),
    ("Fig. 13: several GPUs", ["devices"], several_devices, ["several_devices"]),
    ("Fig. 14: active warps and work of each scale", ["scales"], scales,
     ["active_warps", "active_warps_of_a_part", "work_of_scales"]),
    ("Fig. 15: each GPU's part", ["devices"], share_of_devices, ["share_of_devices"]),
)
