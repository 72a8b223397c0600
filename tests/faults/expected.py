"""What a command must give for each kind of fault: docs/exit-codes.md, as a table.

The first row that fits a fault holds. A fault that does no harm is always allowed, such as one in a file that is
optional: then the exit code and all files must be those of a run without faults.
"""
import dataclasses
import errno
import re

DONE, INTERNAL, USAGE, INPUT, DEVICE, OUTPUT, DAMAGED, RETRY, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 4, 5, 6, 75, 130, 143
ABORTED = -6
NO_HARM = frozenset()
INTERRUPTIONS = ('int', 'term')

# Callers, by their symbols: who writes outputs, who reads inputs, and who reads models.
WRITES = r'Output|write_all|write_new_file|rename_file|remove_file|sync_folder|SideFile|DecisionLog|write_track_file'
LINES = r'append_|utf8|FrameFile|InputLines'
READS = r'^libav|sha256|InputAccess|identity_of|Source|is_fifo|Hash|hash_if_file|read_track|parse_track|PartFile|PartReader|part_file|PartPlan|part_plan'
MODELS = r'detector|^libopenvino|^libonnx|^libprotobuf|^libopencv'
ANY = r''


@dataclasses.dataclass(frozen=True)
class Row:
    calls: tuple        # names of functions; () means all
    callers: str        # a regular expression
    what: tuple         # words of Fault.do; () means every number
    codes: frozenset    # exit codes that are allowed, besides no harm
    task_codes: frozenset = None  # with --task; None means `codes`
    must_fail: bool = False       # no harm is not allowed


def row(calls, callers, what, codes, task_codes=None, must_fail=False):
    return Row(tuple(calls.split()), callers, tuple(str(word) for word in what), frozenset(codes),
               None if task_codes is None else frozenset(task_codes), must_fail)


RESOURCES = 'new malloc pthread_create'
TABLE = (
    row('', ANY, ['none'], NO_HARM),
    # FFmpeg takes some failures of NVDEC for damage of a picture.
    row('', '^gpu$', [], {DEVICE, DAMAGED}, {DEVICE, DAMAGED, RETRY}),
    # Before the program has its handlers, a signal kills it. There is nothing to keep then.
    row('', ANY, ['kill'], {-9}, must_fail=True),
    row('', ANY, ['int'], {INTERRUPTED, -2}),
    row('', ANY, ['term'], {INTERRUPTED, -15}, {TERMINATED, -15}),
    # The rest of the bytes follows with the next call.
    row('', ANY, ['short', errno.EINTR], NO_HARM),
    # FFmpeg loses the picture for which it has no memory, and x264 says no reason.
    row('malloc', '^lib(av|sw)', [], {INTERNAL, DEVICE, DAMAGED, ABORTED}, {RETRY, INTERNAL, DEVICE, DAMAGED, ABORTED}),
    row('malloc', '^libx264', [], {INTERNAL, DEVICE, OUTPUT, ABORTED}, {RETRY, INTERNAL, DEVICE, OUTPUT, ABORTED}),
    # Static objects of libraries are made before the program begins. Nothing can catch their exceptions.
    row(RESOURCES, '^lib', [], {INTERNAL, DEVICE, ABORTED}, {RETRY, INTERNAL, DEVICE, ABORTED}),
    # fopen() and opendir() need memory.
    row('malloc', READS, [], {INTERNAL, INPUT, DEVICE}, {RETRY, INTERNAL, INPUT, DEVICE}),
    row('new', LINES, [], {INTERNAL, OUTPUT, DEVICE}, {RETRY, INTERNAL, OUTPUT, DEVICE}),
    row(RESOURCES, ANY, [], {INTERNAL, DEVICE}, {RETRY, INTERNAL, DEVICE}),
    row('', ANY, [errno.EMFILE], {INTERNAL, INPUT, DEVICE, OUTPUT}, {RETRY, INTERNAL, INPUT, DEVICE, OUTPUT}),
    row('', 'read_earlier_lines', [], {INPUT}),
    row('', WRITES, [errno.ENOSPC], {OUTPUT}, {RETRY}),
    row('', WRITES, [], {OUTPUT}, {OUTPUT, RETRY}),
    row('', MODELS, [], {DEVICE}),
    row('', READS, [], {INPUT}, {INPUT, RETRY}),
    # Standard output and standard error.
    row('write fwrite fflush', ANY, [], {OUTPUT, INTERNAL}),
    row('', ANY, [], {INTERNAL, USAGE, INPUT, DEVICE, OUTPUT}, {INTERNAL, USAGE, INPUT, DEVICE, OUTPUT, RETRY}),
)


def row_of(fault):
    for entry in TABLE:
        if (not entry.calls or fault.call in entry.calls) and (not entry.what or fault.do in entry.what) and \
                re.search(entry.callers, fault.caller):
            return entry
    raise AssertionError(fault)


def allowed_codes(fault, task, usual):
    """Returns the exit codes that a command may have, whose exit code is `usual` without faults."""
    entry = row_of(fault)
    codes = entry.task_codes if task and entry.task_codes is not None else entry.codes
    return codes if entry.must_fail else codes | {usual}
