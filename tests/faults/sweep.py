#!/usr/bin/env python3
"""Makes each call of facepipe fail, and checks what facepipe then does. ./dev faults runs it.

A run without a fault lists which functions of facepipe call the system, and how often. Then the command runs again for
each of them: its first, a middle and its last call fails with an error, transfers only a part of its bytes, is
interrupted, or is the moment at which a signal stops or kills the program. expected.py says what must come of it. A
command that was killed runs once more, and must then make what it makes without a fault.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import shlex
import sys
import tempfile
import threading
import time

from commands import all_commands, gpu_commands, make_inputs
from faults import NO_FAULT, Fault, faults_of_sites
from judge import Baseline, judge

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / 'data/fetched/demo/city.jpg'
PART = 150  # faults of a sweep that is not complete


class Sweep:
    """Runs commands with faults in folders under `top`."""

    def __init__(self, top, program, shims):
        """
        @param shims  {whether a command uses a GPU: the library for LD_PRELOAD}
        """
        self.top, self.program, self.shims = top, program, shims
        self.inputs = top / 'inputs'
        make_inputs(program, self.inputs, PHOTO)
        self.commands = {**all_commands(program, self.inputs), **gpu_commands(self.inputs)}
        self.baselines = {}
        self.local = threading.local()
        self.workers = itertools.count()

    def folder(self):
        """Returns a folder that only this thread uses."""
        if not hasattr(self.local, 'folder'):
            self.local.folder = self.top / f'work-{next(self.workers)}'
        return self.local.folder

    def preload(self, command, variables):
        return {'LD_PRELOAD': str(self.shims[command.gpu]), **variables}

    def prepare(self, name):
        """Runs a command without a fault, and returns its faults."""
        command, folder = self.commands[name], self.folder()
        command.prepare(folder)
        sites = self.top / 'sites'
        sites.unlink(missing_ok=True)
        outcome = command.start(self.program, folder, self.preload(command, {'FACEPIPE_FAIL_SITES': str(sites)}))
        command.adopt(folder)
        self.baselines[name] = Baseline(command, folder, outcome, self.inputs / 'faces.mp4')
        return faults_of_sites(read_sites(sites), command.task)

    def run(self, name, fault):
        """Runs a command with a fault. Returns what is wrong, whether the fault happened, and how many partial videos were
        compared."""
        command, folder, baseline = self.commands[name], self.folder(), self.baselines[name]
        log = folder.with_suffix('.log')
        log.unlink(missing_ok=True)
        command.prepare(folder)
        variables = self.preload(command, {**fault.environment(), 'FACEPIPE_FAIL_LOG': str(log)})
        outcome = command.start(self.program, folder, variables)
        happened = log.exists() and log.stat().st_size > 0  # the log is opened before the fault
        wrong = judge(command, fault if happened else NO_FAULT, outcome, folder, baseline)
        if happened and fault.do == 'kill' and not wrong:
            wrong = self.run_again(command, folder, baseline)
        return wrong, happened, outcome.partials

    def run_again(self, command, folder, baseline):
        """A run after a killed one must leave what a run without a fault leaves."""
        outcome = command.start(self.program, folder, {}, again=True)
        continues = '--skip-existing' in command.again
        return [f'the next run: {text}' for text in judge(command, NO_FAULT, outcome, folder, baseline, continues)]


def read_sites(path):
    sites = collections.Counter()
    for line in path.read_text().splitlines():
        call, caller, count = line.split()
        sites[call, caller] += int(count)
    return sites


def choose(faults, most):
    """Takes `most` of the faults, in turn from each command."""
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(
        *([(name, fault) for fault in own] for name, own in faults.items())))
    return list(itertools.islice((entry for entry in in_turn if entry), most))


def repeat(sweep, name, fault):
    command = sweep.commands[name]
    words = [sweep.program, *command.words]
    variables = sweep.preload(command, fault.environment())
    return (f'  again: ./dev faults {name} --only {shlex.quote(fault.text())}\n  the command: '
            + ' '.join(f'{key}={shlex.quote(value)}' for key, value in variables.items()) + ' ' + shlex.join(map(str, words)))


def sweep_through(sweep, chosen, jobs, seconds):
    """Returns {(command, kind): [faults, faults that went wrong]}, how many faults did not happen, and how many partial
    videos were compared."""
    table, missed, partials = collections.defaultdict(lambda: [0, 0]), 0, 0
    end = time.monotonic() + seconds

    def run(entry):
        return sweep.run(*entry) if time.monotonic() < end else None
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done, ((name, fault), result) in enumerate(zip(chosen, pool.map(run, chosen)), 1):
            if result is None:
                print(f'after {seconds:.0f} s, {done - 1} of {len(chosen)} faults were tried')
                break
            wrong, happened, compared = result
            partials += compared
            if not happened and not wrong:
                missed += 1  # the number of calls depends on how threads take turns
                continue
            table[name, fault.kind][0] += 1
            if wrong:
                table[name, fault.kind][1] += 1
                print(f'FAILED {name}: {fault.text()}\n  ' + '\n  '.join(wrong) + '\n' + repeat(sweep, name, fault),
                      flush=True)
            if done % 100 == 0:
                print(f'{done} of {len(chosen)}', file=sys.stderr, flush=True)
    return table, missed, partials


def print_summary(table, missed, partials):
    kinds = sorted({kind for _, kind in table})
    names = list(dict.fromkeys(name for name, _ in table))
    print(f'{"":16}' + ''.join(f'{name:>10}' for name in names) + f'{"all":>10}')
    for kind in kinds:
        counts = [table[name, kind][0] if (name, kind) in table else 0 for name in names]
        print(f'{kind:16}' + ''.join(f'{count:10}' for count in counts) + f'{sum(counts):10}')
    total = sum(count for count, _ in table.values())
    kills = sum(count for (_, kind), (count, _) in table.items() if kind == 'kill')
    failed = sum(bad for _, bad in table.values())
    print(f'{total} faults, {kills} of them kill points; {missed} more did not happen; {partials} partial videos of hide '
          f'were compared; {failed} faults went wrong')
    return failed


def arguments(names, gpu_names):
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('commands', nargs='*', metavar='COMMAND', default=names,
                        help=f'one of {", ".join(names)} (default: all of these), or on a GPU one of '
                             + ', '.join(gpu_names))
    parser.add_argument('--all', action='store_true', help=f'all faults, not only {PART}')
    parser.add_argument('--most', type=int, default=PART, help='at most so many faults')
    parser.add_argument('--kind', help="only faults of one kind, as the last table names it, such as 'kill'")
    parser.add_argument('--only', metavar='FAULT', help='one fault, as a failure prints it')
    parser.add_argument('--minutes', type=float, default=24 * 60, help='try no further fault after these minutes')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='how many commands run at the same time')
    asked = parser.parse_args()
    for name in asked.commands:
        if name not in names + gpu_names:
            parser.error(f"no command '{name}': choose from {', '.join(names + gpu_names)}")
    if asked.only and len(asked.commands) != 1:
        parser.error('--only needs one command')
    return asked


def main():
    asked = arguments(list(all_commands('', pathlib.Path())), list(gpu_commands(pathlib.Path())))
    program, calls, driver = (pathlib.Path(os.environ[name]).resolve() for name in (
        'FACEPIPE_PROGRAM', 'FACEPIPE_FAILING_CALLS', 'FACEPIPE_FAILING_DRIVER'))
    # In memory, because most of a run's time would be fsync on a disk.
    memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix='faults-', dir=memory) as top:
        sweep = Sweep(pathlib.Path(top), program, {False: calls, True: driver})
        faults = {name: sweep.prepare(name) for name in asked.commands}
        if asked.kind:
            faults = {name: [fault for fault in own if fault.kind == asked.kind] for name, own in faults.items()}
        if asked.only:
            faults = {name: [Fault.of_text(asked.only)] for name in faults}
        chosen = choose(faults, None if asked.all else asked.most)
        print(f'{len(chosen)} of {sum(map(len, faults.values()))} faults', file=sys.stderr, flush=True)
        failed = print_summary(*sweep_through(sweep, chosen, asked.jobs, asked.minutes * 60))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
