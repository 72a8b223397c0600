"""Judges what a command with a fault has left behind: its exit code, its error line and its files."""
import re
import subprocess

from commands import LIMIT_S, PARTIAL
from expected import ABORTED, DAMAGED, DONE, INTERRUPTED, INTERRUPTIONS, TERMINATED, allowed_codes
from faults import ALLOCATIONS, GPU, is_library

# Names of files that a run keeps on purpose: partial files, the record that tells the next run of them, and files with
# complete entries of other inputs, which the next run takes over.
KEPT_BY_TASK = re.compile(r'(.*/)?((d\.jsonl|l\.csv|r\.json)\.tmp-\w+|\.[^/]+\.facepipe)$')
KEPT = re.compile(KEPT_BY_TASK.pattern + r'|(.*/)?[^/]+\.partial(-\d+)?(\.[^/.]+)?$')
ERROR = 'facepipe: error: '


class Baseline:
    """What a command gives without a fault."""

    def __init__(self, command, folder, outcome, original=None):
        self.code = outcome.code
        self.finals = {name: content_of(folder / name, content) for name, content in command.finals.items()}
        self.names = names_in(folder)
        self.frames = frames_of(folder / command.hides) if command.hides else []
        self.original = frames_of(original) if command.hides else []
        if not self.finals or any(is_unreadable(value) for value in self.finals.values()):
            raise RuntimeError(f'without a fault, the command made {sorted(self.names)}: {self.finals}: {outcome.error}')


def names_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob('*') if not path.is_dir()}


def is_unreadable(value):
    return isinstance(value, str) and value.startswith('unreadable')


def content_of(path, content):
    """Returns what must be the same of a file, or the reason why there is nothing to compare."""
    try:
        return content(path)
    except (OSError, ValueError, LookupError, TypeError) as error:
        return f'unreadable: {error!r}'


def judge(command, fault, outcome, folder, baseline, continues=False):
    """Returns a list of what is wrong.

    @param continues  whether this run goes on where a killed one stopped: then its report says what the other one did
    """
    wrong = list(outcome.problems)
    if outcome.hung:
        return [*wrong, f'ran for over {LIMIT_S} s']
    allowed = allowed_codes(fault, command.task, baseline.code)
    if outcome.code not in allowed:
        wrong.append(f'exit code {outcome.code}, not one of {sorted(allowed)}')
    wrong += wrong_lines(fault, outcome, baseline)
    wrong += wrong_files(command, fault, outcome, folder, baseline, continues)
    return wrong


def wrong_lines(fault, outcome, baseline):
    """A failure has exactly one line, which names a file or a reason. Success has none."""
    lines = outcome.error.splitlines()
    if fault.call == 'unlink' and outcome.code == baseline.code != DONE:
        return []  # a line about a file that stays doesn't change an exit code that says more
    if outcome.code == ABORTED:
        return []  # the lines are those of the C++ library
    if fault.call in ALLOCATIONS and is_library(fault.caller):
        lines = [line for line in lines if line.startswith('facepipe: ')]  # libraries print lines of their own
    if outcome.code < 0 or outcome.code in (baseline.code, DONE):
        return [f'lines without a failure: {lines}'] if lines else []
    good = [line for line in lines if line.startswith(ERROR) and len(line) > len(ERROR) + 8]
    if outcome.code in (INTERRUPTED, TERMINATED) and not lines:
        return []  # whoever has stopped the command knows it
    # If each call fails from then on, there is a line for each file. Without memory, nobody knows what was printed. A file
    # to which the run writes no more lines has a line, and the input that needs this file has one.
    most = 3 * len(baseline.finals) if fault.sticky else 2 if fault.call in ALLOCATIONS else 1
    repeated = len(set(lines)) != len(lines) and not (fault.sticky and fault.call in ALLOCATIONS)
    if good != lines or repeated or not 1 <= len(lines) <= most:
        return [f'{len(lines)} lines instead of one error: {lines}']
    return []


def loses_frames(fault):
    """Returns whether the decoder can lose frames. Then all that is found in the others can differ, too."""
    return fault.caller == GPU or (fault.call in ALLOCATIONS and is_library(fault.caller))


def without_notices(made):
    """If NVDEC can't be used, the CPU decodes, and a notice says so."""
    if isinstance(made, list) and made and isinstance(made[0], dict):
        return [{**entry, 'notices': None} for entry in made]
    return made


def without_hashes(made):
    """If a signal comes when the output is complete, the report doesn't wait for the hash of a long file. If a file can't
    be read again for its hash, a notice says so."""
    if isinstance(made, list) and made and isinstance(made[0], dict):
        return [{**entry, 'sha256': None, 'notices': None} for entry in made]
    return made


def wrong_files(command, fault, outcome, folder, baseline, continues):
    """Outputs are complete or absent, and nothing else is left except partial files."""
    wrong = []
    names = names_in(folder)
    for name, content in command.finals.items():
        if name not in names:
            if outcome.code == baseline.code:
                wrong.append(f'{name} is missing')
            continue
        made = content_of(folder / name, content)
        tells_of_failure = content in command.TELL_OF_FAILURES and (outcome.code != baseline.code or continues)
        expected = baseline.finals[name]
        if fault.do in INTERRUPTIONS or 'SHA-256 is unknown' in str(made):
            made, expected = without_hashes(made), without_hashes(expected)
        if fault.caller == GPU:
            made, expected = without_notices(made), without_notices(expected)
        if outcome.code == DAMAGED != baseline.code and loses_frames(fault):
            continue
        if made != expected and (not tells_of_failure or is_unreadable(made)):
            wrong.append(f'{name} is not what it is without a fault (exit code {outcome.code}): {str(made)[:400]}')
    if fault.do == 'kill':
        return wrong  # the next run cleans up
    kept_names = KEPT_BY_TASK if command.task else KEPT
    others = {name for name in names - baseline.names if not kept_names.match(name)}
    if others:
        wrong.append(f'left {sorted(others)}')
    kept = {name for name in names - baseline.names if PARTIAL in name}
    stays = fault.call == 'unlink' and outcome.error  # its line says so
    if names - baseline.names and outcome.code == baseline.code and not stays:
        wrong.append(f'left {sorted(names - baseline.names)} after a success')
    for name in kept:
        if command.hides and name.endswith('.mp4'):
            wrong += shown_in_partial(folder / name, baseline)
            outcome.partials += 1
    return wrong


# --- Hidden areas -------------------------------------------------------------------------------------

def frames_of(video):
    """Returns [(time stamp, bytes of the picture)], decoded as they are stored."""
    def ffmpeg(*words):
        return subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-i', video, '-map', '0:v', '-vsync', 'passthrough',
                               *words, '-'], check=True, stdout=subprocess.PIPE).stdout
    stamps = [int(line.split(b',')[2]) for line in ffmpeg('-f', 'framecrc').splitlines() if line[:1] != b'#']
    pictures = ffmpeg('-f', 'rawvideo', '-pix_fmt', 'yuv420p')
    size = len(pictures) // max(1, len(stamps))
    return [(stamp, pictures[i * size:(i + 1) * size]) for i, stamp in enumerate(stamps)]


def shown_in_partial(video, baseline):
    """Returns what a partial file shows, though the complete file hides it. Both are lossless."""
    try:
        partial = frames_of(video)
    except subprocess.CalledProcessError:
        return [f'{video.name} can\'t be decoded']
    complete, original = dict(baseline.frames), dict(baseline.original)
    wrong = []
    for stamp, picture in partial:
        if stamp not in complete:
            wrong.append(f'{video.name}: the frame at {stamp} is not in the complete file')
            continue
        shown = pixels_shown(picture, complete[stamp], original[stamp])
        if shown:
            wrong.append(f'{video.name}: the frame at {stamp} shows {shown} hidden pixels')
    return wrong


def pixels_shown(picture, complete, original):
    """Counts the samples that the complete file has changed, and that are in `picture` as they were, or otherwise not
    as in the complete file."""
    if picture == complete:
        return 0
    return sum(1 for mine, hidden, plain in zip(picture, complete, original) if hidden != plain and mine != hidden)
