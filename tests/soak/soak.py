#!/usr/bin/env python3
"""Lets one process of facepipe work for many minutes on the same small files, some of which are broken. ./dev soak runs it.

The files come again in each round, under other names. From round 4 on, the process may not grow: its anonymous memory
less than 1 MiB a round, its descriptors and threads not at all. On CUDA, the used memory of the GPU may not grow
either, so no other process may use the GPU. Each output and each exit code must be that of a run that works on this
one file.
"""
import argparse
import ctypes
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/faults'))
from commands import CASCADE  # noqa: E402

PHOTO = ROOT / 'data/fetched/demo/city.jpg'
SETTLED = 4  # from this round on, nothing grows
ROUNDS = 8  # at least
MOST_GROWTH_MIB = 1.0  # a round
COMMANDS = {'run': '_faces', 'hide': '_hidden'}


# --- Inputs -------------------------------------------------------------------------------------------

def ffmpeg(*words):
    subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-y', *map(str, words)], check=True)


def make_good_files(folder):
    """Makes small files. Each name differs before its suffix, too. None is Matroska, which writes a random number."""
    ffmpeg('-i', PHOTO, '-vf', 'scale=640:-2', folder / 'photo.png')
    moving = ['-loop', '1', '-r', '25', '-i', folder / 'photo.png', '-f', 'lavfi', '-i', 'sine', '-t', '0.4', '-vf',
              'crop=320:192:n:40,format=yuv420p', '-threads', '1']
    ffmpeg(*moving, '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5', '-c:a', 'aac', folder / 'mp4.mp4')
    ffmpeg(*moving, '-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-c:a', 'aac', folder / 'ts.ts')
    ffmpeg(*moving, '-c:v', 'mjpeg', '-c:a', 'pcm_s16le', folder / 'mov.mov')
    ffmpeg(*moving, '-c:v', 'mpeg4', '-an', folder / 'avi.avi')
    ffmpeg('-i', folder / 'photo.png', '-vf', 'crop=320:192', folder / 'jpg.jpg')
    (folder / 'photo.png').rename(folder / 'png.png')


def damaged(data, chance):
    """Returns the bytes with 20 of them changed, somewhere behind the header."""
    changed = bytearray(data)
    for _ in range(20):
        changed[chance.randrange(min(200, len(data)), len(data))] = chance.randrange(256)
    return bytes(changed)


def make_hostile_files(folder):
    """Makes broken copies of the good files. They are always the same, because the seeds are."""
    for number, path in enumerate(sorted(folder.iterdir())):
        data, chance = path.read_bytes(), random.Random(number)
        ways = {'cut': data[:len(data) * 6 // 10], 'damaged': damaged(data, chance),
                'header': chance.randbytes(24) + data[24:], 'begin': data[:100]}
        for way, made in ways.items():
            (folder / f'{path.stem}-{way}{path.suffix}').write_bytes(made)
    (folder / 'empty.mp4').write_bytes(b'')
    (folder / 'text.mp4').write_text('This is no video.\n' * 100)


# --- Runs ---------------------------------------------------------------------------------------------

def words_of(program, command, options):
    model = [] if '--model' in options else ['--model', CASCADE]  # the cascade is quick
    return [program, command, '--threads', '1', '--preset', 'ultrafast', *model, '-q', '--overwrite', *options]


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def output_of(folder, name, command):
    path = pathlib.Path(name)
    return folder / f'{path.stem}{COMMANDS[command]}{path.suffix}'


def single_runs(program, command, options, files, folder):
    """Returns {name: (exit code, hash of the output)} of runs that each work on one file."""
    expected = {}
    for path in files:
        result = subprocess.run([*words_of(program, command, options), path, '-o', f'{folder}/'], stdin=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        expected[path.name] = (result.returncode, hash_of(output_of(folder, path.name, command)))
    shutil.rmtree(folder, ignore_errors=True)
    return expected


class GpuMemory:
    """Asks NVML, the library of nvidia-smi, how much memory of the first GPU is used."""

    class Memory(ctypes.Structure):
        """nvmlMemory_t, in bytes."""
        _fields_ = [('total', ctypes.c_ulonglong), ('free', ctypes.c_ulonglong), ('used', ctypes.c_ulonglong)]

    def __init__(self):
        self.nvml, self.gpu = ctypes.CDLL('libnvidia-ml.so.1'), ctypes.c_void_p()
        self.call('nvmlInit_v2')
        self.call('nvmlDeviceGetHandleByIndex_v2', 0, ctypes.byref(self.gpu))

    def call(self, name, *arguments):
        code = getattr(self.nvml, name)(*arguments)
        if code != 0:
            sys.exit(f'{name} failed: {code}')

    def used_mib(self):
        memory = self.Memory()
        self.call('nvmlDeviceGetMemoryInfo', self.gpu, ctypes.byref(memory))
        return memory.used / 2**20


@dataclasses.dataclass
class Sample:
    """What a process uses at one moment."""
    memory: float  # anonymous, in MiB
    gpu_memory: float  # of all processes, in MiB; 0 without a GPU
    descriptors: int
    threads: int


def sample(pid, gpu):
    status = dict(line.split(':', 1) for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines())
    return Sample(int(status['RssAnon'].split()[0]) / 1024, gpu.used_mib() if gpu else 0.0, len(os.listdir(f'/proc/{pid}/fd')),
                  int(status['Threads']))


def of_round(samples):
    """A round may be measured while an input is open. The least number is what stays open."""
    return Sample(statistics.median(one.memory for one in samples), statistics.median(one.gpu_memory for one in samples),
                  min(one.descriptors for one in samples), min(one.threads for one in samples))


class Soak:
    """One process of facepipe, which works on all rounds."""

    def __init__(self, program, command, options, files, expected, top):
        self.words = words_of(program, command, options)
        self.command, self.files, self.expected, self.top = command, files, expected, top
        self.gpu = GpuMemory() if 'cuda' in options else None
        self.wrong = []
        self.samples = []  # one list for each round

    def run(self, rounds):
        """Returns how long it took, in seconds."""
        inputs, outputs = self.top / 'in', self.top / 'out'
        inputs.mkdir()
        for number in range(1, rounds + 1):
            for path in self.files:
                os.link(path, inputs / f'{number:05}-{path.name}')
        self.samples = [[] for _ in range(rounds)]
        begin = time.monotonic()
        with subprocess.Popen([*self.words, inputs, '-o', f'{outputs}/', '--progress', 'json'], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            for line in process.stdout:
                told = json.loads(line)
                if told.get('exit_code') is not None:
                    self.take(told, process.pid, outputs)
        ended = [name for samples in self.samples for name in samples]
        if len(ended) != rounds * len(self.files):
            self.wrong.append(f'{len(ended)} of {rounds * len(self.files)} inputs ended; exit code {process.returncode}')
        shutil.rmtree(inputs)
        shutil.rmtree(outputs, ignore_errors=True)
        return time.monotonic() - begin

    def take(self, told, pid, outputs):
        """Takes the end of an input: samples the process, and compares the output."""
        number, name = told['file'].split('/')[-1].split('-', 1)
        try:
            self.samples[int(number) - 1].append(sample(pid, self.gpu))
        except (OSError, KeyError):  # the process has ended after its last input
            self.samples[int(number) - 1].append(self.samples[int(number) - 1][-1])
        output = output_of(outputs, f'{number}-{name}', self.command)
        made = (told['exit_code'], hash_of(output))
        if made != self.expected[name]:
            self.wrong.append(f'round {number}, {name}: {made} instead of {self.expected[name]}')
        for left in outputs.glob(f'*{number}-{pathlib.Path(name).stem}[._]*'):
            left.unlink()  # rounds would fill the disk

    def growth(self):
        """Returns the lines of a table, and what has grown."""
        rounds = [of_round(samples) for samples in self.samples if samples]
        shown = sorted({1, 2, 3, *range(SETTLED, len(rounds) + 1, max(1, len(rounds) // 10)), len(rounds)})
        lines = [self.line(number, rounds[number - 1]) for number in shown if number <= len(rounds)]
        late = rounds[SETTLED - 1:]
        if len(late) < 2:
            return lines, ['there were too few rounds']
        lines.append(f'{self.command:6}{len(rounds)} rounds of {len(self.files)} files')
        wrong = []
        for name in ('memory', 'gpu_memory') if self.gpu else ('memory', ):
            slope = statistics.linear_regression(range(len(late)), [getattr(one, name) for one in late]).slope
            lines[-1] += f', {name} {slope:+.3f} MiB a round from round {SETTLED} on'
            if slope >= MOST_GROWTH_MIB:
                wrong.append(f'{name} grows by {slope:.2f} MiB a round')
        middle = len(late) // 2
        for name in ('descriptors', 'threads'):
            before, after = (min(getattr(one, name) for one in part) for part in (late[:middle], late[middle:]))
            if after > before:
                wrong.append(f'there are {after} {name} instead of {before}')
        return lines, wrong

    def line(self, number, used):
        gpu = f'{used.gpu_memory:7.0f} MiB of the GPU, ' if self.gpu else ''
        return (f'{self.command:6}round {number:4}: {used.memory:7.1f} MiB, {gpu}{used.descriptors} descriptors, '
                f'{used.threads} threads')


def soak(program, command, options, seconds, top):
    """Returns what is wrong."""
    originals = top / 'files'
    files = sorted(originals.iterdir())
    expected = single_runs(program, command, options, files, top / 'single')
    if all(code == 0 for code, _ in expected.values()) or not any(made for _, made in expected.values()):
        return ['the files are not good and bad ones']
    first = Soak(program, command, options, files, expected, top)
    round_s = first.run(2) / 2
    rounds = max(ROUNDS, int(seconds / round_s))
    long = Soak(program, command, options, files, expected, top)
    took = long.run(rounds)
    lines, wrong = long.growth()
    print('\n'.join(lines) + f', {took:.0f} s', flush=True)
    return [f'{command}: {text}' for text in long.wrong + wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('minutes', type=float, help='how long all rounds take, about')
    parser.add_argument('--files', type=pathlib.Path, metavar='DIR',
                        help='takes the good files of this folder, for a machine whose ffmpeg cannot make them')
    parser.add_argument('--make-files', type=pathlib.Path, metavar='DIR', help='only makes the good files, in this folder')
    parser.add_argument('options', nargs='*', help='options of facepipe, behind --')
    asked = parser.parse_args()
    if asked.make_files:
        asked.make_files.mkdir(parents=True)
        make_good_files(asked.make_files)
        return 0
    program = pathlib.Path(os.environ['FACEPIPE_PROGRAM']).resolve()
    options = asked.options or ['--device', 'cpu']
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix='soak-', dir=memory) as folder:
        top = pathlib.Path(folder)
        (top / 'files').mkdir()
        if asked.files:
            shutil.copytree(asked.files, top / 'files', dirs_exist_ok=True)
        else:
            make_good_files(top / 'files')
        make_hostile_files(top / 'files')
        wrong = [text for command in COMMANDS
                 for text in soak(program, command, options, asked.minutes * 60 / len(COMMANDS), top)]
    print('\n'.join(f'WRONG {text}' for text in wrong[:40]))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
