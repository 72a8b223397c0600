"""Judges a run's copies between host and device, by a trace of all CUDA memory copies.

Copies to the host may contain encoded pictures, counts, and faces if the user wants faces. When facepipe hides faces,
it follows them; then copies to the host may also contain a small luma (half the picture's width and height), or points
and counts. Copies to the device may contain descriptors of at most 256 bytes, and compressed packets. All other copies
are attributed to libraries, and listed by size. No copy of a library may exceed 1 % of a frame. In each direction, the
average sum of these copies per frame may not exceed 1 % of a frame, either. During the first frames (see steady_from()),
the program copies the model to the device and the libraries initialise themselves. In this time only copies to the host
are judged, with a limit of 5 % of a frame (nvJPEG encodes a grey picture first).
"""
from collections import Counter
from dataclasses import dataclass, field

MAGIC = "facepipe copy trace 1"
MOST_OF_DESCRIPTOR = 256
LIBRARY_SHARE = 0.01
START_UP_SHARE = 0.05
MOTION_SHARE = 0.02
STEADY_FRAMES = 32
# A packet and its copy can differ by up to this many bytes: the host writes a JPEG's header itself, and NVDEC gets no
# parameter sets.
PACKET_SLACK = 2048


@dataclass(frozen=True)
class Copy:
    what: str  # memcpy, peer, managed
    direction: str  # HtoD, DtoH, ...
    source: str
    target: str
    start: int  # ns
    bytes: int
    stream: int
    node: int  # node of a CUDA graph; 0: none

    def to_host(self):
        return self.direction in ("DtoH", "AtoH")

    def to_device(self):
        return self.direction in ("HtoD", "HtoA")


@dataclass
class Trace:
    copies: list  # sorted by start
    fills: int  # number of memsets, which copy nothing between host and device
    notes: dict


@dataclass
class Facts:
    """Holds what the program's report and the files say about the same run."""

    frame_bytes: int
    frames: int
    input_packets: list  # size of each packet, in bytes
    output_packets: list
    copies: dict  # from the program's report: {kind: {"calls", "bytes"}}


@dataclass
class Verdict:
    classes: dict = field(default_factory=dict)  # {(when, direction, class): [bytes of each copy]}
    violations: list = field(default_factory=list)
    remarks: list = field(default_factory=list)

    def add(self, when, direction, kind, copies):
        if copies:
            self.classes.setdefault((when, direction, kind), []).extend(c.bytes for c in copies)

    def refuse(self, broken, text):
        if broken:
            self.violations.append(text)


def read_trace(lines):
    """Parses a trace. Raises ValueError if the trace isn't complete."""
    rows = [line.rstrip("\n").split("\t") for line in lines]
    if not rows or rows[0] != [MAGIC]:
        raise ValueError("no copy trace")
    trace = Trace([], 0, {})
    recorded = 0
    for position, row in enumerate(rows[1:], 2):
        if row[0] == "note":
            trace.notes[row[1]] = row[2]
        elif row[0] == "end":
            check_end(row, recorded, position == len(rows))
            trace.copies.sort(key=lambda copy: copy.start)
            return trace
        else:
            recorded += 1
            add_record(trace, row)
    raise ValueError("the trace has no end: the program was killed, or ended without its handlers")


def check_end(row, recorded, is_last):
    total, dropped = (int(text.split()[0]) for text in row[1:])
    if dropped or total != recorded or not is_last:
        raise ValueError(f"the trace isn't whole: {total} records announced, {recorded} there, {dropped} "
                         f"dropped" + ("" if is_last else ", more after its end"))


def add_record(trace, row):
    what, direction, source, target, *numbers = row
    start, size, copies, stream, node = map(int, numbers)
    if what == "memset":
        trace.fills += 1
        return
    # A record can describe a batch of several copies. Each of them gets the average size.
    count = max(copies, 1)
    trace.copies += [Copy(what, direction, source, target, start, size // count, stream, node)] * count


def matched(copies, packets):
    """Pairs as many copies with packets as possible. The sizes of a pair differ by at most PACKET_SLACK.

    Returns the copies that have a packet, those that have none, and the packets that have no copy.
    """
    copies = sorted(copies, key=lambda copy: -copy.bytes)
    packets = sorted(packets, reverse=True)
    pairs, alone, unseen = [], [], []
    i = j = 0
    while i < len(copies) and j < len(packets):
        if copies[i].bytes > packets[j] + PACKET_SLACK:
            alone.append(copies[i])
            i += 1
        elif packets[j] > copies[i].bytes + PACKET_SLACK:
            unseen.append(packets[j])
            j += 1
        else:
            pairs.append(copies[i])
            i += 1
            j += 1
    return pairs, alone + copies[i:], unseen + packets[j:]


def split(copies, wanted):
    return [c for c in copies if wanted(c)], [c for c in copies if not wanted(c)]


def one_size(facts, kind):
    """Returns the bytes of one copy of this kind, whose copies all have one size. Returns 0 if there is no copy."""
    total = facts.copies.get(kind, {"calls": 0})
    return total["bytes"] // total["calls"] if total["calls"] else 0


def steady_from(descriptors):
    """Returns the time from which the copies in both directions are judged."""
    place = min(STEADY_FRAMES, len(descriptors) // 2)
    return descriptors[place].start if descriptors else 0


def listed(copies, most=6):
    """Returns text that lists the sizes of copies, the largest first, and how many copies have each size."""
    sizes = sorted(Counter(copy.bytes for copy in copies).items(), reverse=True)
    more = f" and {len(sizes) - most} sizes more" if len(sizes) > most else ""
    return ", ".join(f"{count} x {size}" for size, count in sizes[:most]) + more


def judge_libraries(verdict, facts, direction, copies, when, share):
    """Judges the copies that no other rule explains. `share` is the limit for one copy, as a part of a frame's
    bytes."""
    verdict.add(when, direction, "in libraries", copies)
    limit = share * facts.frame_bytes
    large = [copy for copy in copies if copy.bytes > limit]
    verdict.refuse(large, f"{direction}, {when}: {len(large)} copies over {100 * share:.0f} % of a "
                          f"frame ({limit:.0f} bytes): {listed(large)}")


def judge_sum(verdict, facts, direction, copies):
    total = sum(copy.bytes for copy in copies)
    limit = LIBRARY_SHARE * facts.frame_bytes * facts.frames
    verdict.refuse(total > limit, f"{direction}: libraries copy {total} bytes in {facts.frames} frames, "
                                  f"over {100 * LIBRARY_SHARE:.0f} % of these frames")


def compare_with_report(verdict, facts, kind, copies):
    total = facts.copies[kind]
    seen = {"calls": len(copies), "bytes": sum(copy.bytes for copy in copies)}
    same = all(seen[key] == total[key] for key in seen)
    verdict.refuse(not same, f"{kind}: the program reports {total['calls']} copies of {total['bytes']} "
                             f"bytes, the trace {seen['calls']} of {seen['bytes']}")


def judge_bitstreams(verdict, facts, copies):
    """Judges the encoded pictures. Returns the other copies, and the streams on which encoded pictures are copied."""
    total = facts.copies["bitstream"]
    muxed = {"calls": len(facts.output_packets), "bytes": sum(facts.output_packets)}
    verdict.refuse(any(total[key] != muxed[key] for key in muxed),
                   f"bitstream: the program reports {total['calls']} of {total['bytes']} bytes, the file "
                   f"holds {muxed['calls']} of {muxed['bytes']}")
    verdict.refuse(not facts.output_packets, "no bitstream was written: nothing to look for")
    pairs, others, unseen = matched(copies, facts.output_packets)
    verdict.refuse(unseen, f"{len(unseen)} of {len(facts.output_packets)} encoded pictures have no copy "
                           "of their size in the trace")
    verdict.add("whole run", "to host", "bitstream", pairs)
    return others, {copy.stream for copy in pairs}


def judge_lumas(verdict, facts, copies):
    """Judges the small lumas. Returns the other copies."""
    size = one_size(facts, "luma")
    if not size:
        return copies
    verdict.refuse(size > facts.frame_bytes / 6 + facts.frame_bytes / 100,
                   f"a small luma has {size} bytes, more than a quarter of a picture's luma")
    lumas, others = split(copies, lambda copy: copy.bytes == size)
    compare_with_report(verdict, facts, "luma", lumas)
    verdict.add("whole run", "to host", "small luma", lumas)
    return others


def judge_motion(verdict, facts, copies, encoders):
    """Judges the copies of motion, and returns the other copies.

    Motion consists of counts of 4 bytes and of points; a point has three values of 4 bytes. A copy on an encoder's
    stream is never motion: nvJPEG's first picture, which is grey, is copied there.
    """
    total = facts.copies.get("motion", {"calls": 0})
    if not total["calls"]:
        return copies
    motion, others = split(copies, lambda copy: copy.bytes % 12 in (0, 4) and copy.stream not in encoders)
    compare_with_report(verdict, facts, "motion", motion)
    limit = MOTION_SHARE * facts.frame_bytes
    large = [copy for copy in motion if copy.bytes > limit]
    verdict.refuse(large, f"motion: {len(large)} copies over {100 * MOTION_SHARE:.0f} % of a frame: "
                          f"{listed(large)}")
    verdict.refuse(total["bytes"] > limit * facts.frames,
                   f"motion: {total['bytes']} bytes in {facts.frames} frames, over "
                   f"{100 * MOTION_SHARE:.0f} % of these frames")
    verdict.add("whole run", "to host", "motion", motion)
    return others


def judge_to_host(verdict, facts, copies, steady):
    in_graph, others = split(copies, lambda copy: copy.node != 0)
    others = judge_lumas(verdict, facts, others)
    counts, faces = split(in_graph, lambda copy: copy.bytes == one_size(facts, "counts"))
    compare_with_report(verdict, facts, "counts", counts)
    compare_with_report(verdict, facts, "faces", faces)
    verdict.add("whole run", "to host", "counts", counts)
    verdict.add("whole run", "to host", "faces", faces)
    others = judge_motion(verdict, facts, *judge_bitstreams(verdict, facts, others))
    early, late = split(others, lambda copy: copy.start < steady)
    judge_libraries(verdict, facts, "to host", early, "start-up", START_UP_SHARE)
    judge_libraries(verdict, facts, "to host", late, "steady", LIBRARY_SHARE)
    judge_sum(verdict, facts, "to host", late)


def judge_to_device(verdict, facts, copies, descriptors, steady):
    compare_with_report(verdict, facts, "descriptor", descriptors)
    size = one_size(facts, "descriptor")
    verdict.refuse(size > MOST_OF_DESCRIPTOR, f"a descriptor has {size} bytes")
    verdict.add("whole run", "to device", "descriptor", descriptors)
    known = set(map(id, descriptors))
    early, late = split([c for c in copies if id(c) not in known], lambda c: c.start < steady)
    verdict.add("start-up", "to device", "not judged", early)
    large, small = split(late, lambda copy: copy.bytes > MOST_OF_DESCRIPTOR)
    packets, others, _ = matched(large, facts.input_packets)
    verdict.add("steady", "to device", "like packets", packets)
    judge_libraries(verdict, facts, "to device", small + others, "steady", LIBRARY_SHARE)
    judge_sum(verdict, facts, "to device", small + others)
    verdict.remarks.append(
        f"NVDEC's own upload: {len(packets)} copies after the start-up have the size of a compressed "
        f"packet, of {facts.frames} packets in all" +
        ("" if packets else "; what NVDEC reads isn't among CUDA's memory copies"))


def judge(trace, facts):
    """Applies all rules. If the verdict has no violations, the run kept the rules, as far as CUPTI can see copies."""
    verdict = Verdict()
    to_host, rest = split(trace.copies, Copy.to_host)
    to_device, rest = split(rest, Copy.to_device)
    size = one_size(facts, "descriptor")
    descriptors = [copy for copy in to_device if copy.node != 0 and copy.bytes == size]
    verdict.refuse(not descriptors, "no descriptor is in the trace: it doesn't see what graphs copy")
    verdict.refuse(max(facts.input_packets, default=0) > facts.frame_bytes / 4,
                   "a compressed packet is as large as a picture: another clip is needed")
    steady = steady_from(descriptors)
    judge_to_host(verdict, facts, to_host, steady)
    judge_to_device(verdict, facts, to_device, descriptors, steady)
    unknown = [copy for copy in rest if copy.direction == "unknown"]
    verdict.refuse(unknown, f"copies of unknown direction: {listed(unknown)}")
    for copy in rest:
        verdict.add("steady" if copy.start >= steady else "start-up", copy.direction, copy.what, [copy])
    verdict.remarks += [f"{name}: {value}" for name, value in trace.notes.items()]
    return verdict


SIZE_CLASSES = ((256, "up to 256 B"), (4096, "up to 4 KiB"), (65536, "up to 64 KiB"),
                (1 << 20, "up to 1 MiB"), (float("inf"), "over 1 MiB"))


def size_class(size):
    return next(name for most, name in SIZE_CLASSES if size <= most)


def table(verdict):
    lines = [f"{'when':<11}{'direction':<11}{'what':<14}{'size':<14}{'calls':>8}{'bytes':>14}"
             f"{'smallest':>10}{'largest':>10}"]
    for (when, direction, kind), sizes in sorted(verdict.classes.items()):
        for name in [name for _, name in SIZE_CLASSES]:
            some = [size for size in sizes if size_class(size) == name]
            if some:
                lines.append(f"{when:<11}{direction:<11}{kind:<14}{name:<14}{len(some):>8}"
                             f"{sum(some):>14}{min(some):>10}{max(some):>10}")
    return "\n".join(lines) + "\n"


def library_list(verdict, most=20):
    """Lists every size that libraries copy, the largest first."""
    lines = []
    for (when, direction, kind), sizes in sorted(verdict.classes.items()):
        if kind == "in libraries":
            counted = sorted(Counter(sizes).items(), reverse=True)
            shown = ", ".join(f"{count} x {size}" for size, count in counted[:most])
            more = f", and {len(counted) - most} smaller sizes" if len(counted) > most else ""
            lines.append(f"in libraries, {when}, {direction}: {shown}{more}\n")
    return "".join(lines)
