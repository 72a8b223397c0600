"""lint.py BUILD CLANG_TIDY: checks with clang-tidy those sources that are compiled in the folder BUILD.

It reads the names of the sources from standard input, each ended by a zero byte. It prints clang-tidy's findings, and
its exit code is 1 if there are any.

Most of clang-tidy's time goes into the headers of a source. So lint.py joins sources that are compiled with the same
flags into a batch (cmake/batches.py), and checks the batch as one source.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'cmake'))
from batches import Source, make_batches  # noqa: E402

# These checks can't run on batches. In a batch, headers are included several times; repeated_includes() finds those
# that a single source includes twice. If an alias of a namespace occurs several times, only its first one looks used;
# unused_aliases() finds aliases that a single source doesn't use.
NOT_IN_BATCHES = '-readability-duplicate-include,-misc-unused-alias-decls'
ALIAS = re.compile(r'^ *namespace (\w+) = ', re.MULTILINE)
INCLUDE = re.compile(r'^#include ([<"].*[>"])', re.MULTILINE)
# Each expectation of a test doubles the paths that clang's analyzer can follow, so that its default limit of states
# made it take four fifths of the time. With this limit, it found as many of 159 faults that were planted at the ends of
# the tests in ten files.
FEWER_STATES = [word for argument in ('-Xclang', '-analyzer-config', '-Xclang', 'max-nodes=8000')
                for word in ('--extra-arg', argument)]
# GCC's precompiled header contains these headers, so the compiler doesn't notice if a source doesn't include them.
# gmock.h includes gtest.h.
PRECOMPILED = {('<gtest/gtest.h>', '<gmock/gmock.h>'): re.compile(r'^TEST(_F|_P)?\(', re.MULTILINE),
               ('<gmock/gmock.h>',): re.compile(r'\b(EXPECT_THAT|MOCK_METHOD)\(')}


def read_sources(names, build):
    """Returns those sources among `names` that are compiled. Prints the names of the others."""
    commands = {}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        path = os.path.relpath(os.path.join(entry['directory'], entry['file']))
        commands.setdefault(path, entry)
    sources = []
    for name in map(os.path.relpath, names):
        if name not in commands:
            print('lint: not compiled here:', name, file=sys.stderr)
            continue
        words = shlex.split(commands[name]['command'])
        at = words.index('-o')
        sources.append(Source(name, pathlib.Path(name).read_text(), tuple(words[:at]), commands[name]['directory']))
    return sources


def repeated_includes(source):
    seen = set()
    for include in INCLUDE.finditer(source.text):
        if include[1] in seen:
            yield f'{source.name}:{source.text.count(chr(10), 0, include.start()) + 1}: {include[1]} is included again'
        seen.add(include[1])


def missing_includes(source):
    included = set(INCLUDE.findall(source.text))
    for headers, uses in PRECOMPILED.items():
        if uses.search(source.text) and not included.intersection(headers):
            yield f'{source.name}: includes no {headers[0]}, which it uses'


def unused_aliases(source):
    for alias in ALIAS.findall(source.text):
        if not re.search(rf'\b{alias}::', source.text):
            yield f'{source.name}: the alias {alias} is unused'


def states_for(batch):
    """Returns the options that limit the analyzer's states for this batch."""
    return FEWER_STATES if all(source.name.startswith('tests/') for source in batch.sources) else []


class Linter:
    def __init__(self, build, clang_tidy):
        self.clang_tidy = clang_tidy
        self.folder = build / 'batches'
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob('*'):
            old.unlink()

    def write_commands(self, batches):
        entries = []
        for number, batch in enumerate(batches):
            names = [os.path.abspath(source.name) for source in batch.sources]
            if len(batch.sources) > 1:
                file = self.file_of(number)
                file.write_text('\n'.join(source.text for source in batch.sources))
                names.append(str(file))
            first = batch.sources[0]
            for name in names:
                entries.append({'directory': first.directory, 'file': name,
                                'arguments': list(first.flags) + ['-c', name]})
        (self.folder / 'compile_commands.json').write_text(json.dumps(entries))

    def file_of(self, number):
        return self.folder.resolve() / f'batch_{number}.cpp'

    def check(self, number, batch):
        """Returns the findings in a batch as text, or "" if there are none."""
        if len(batch.sources) > 1:
            code, _ = self.run(str(self.file_of(number)), '--checks=' + NOT_IN_BATCHES, *states_for(batch))
            if code == 0:
                return ''
        # Findings in a batch can be wrong, because names can collide and sources can affect each other. So each source
        # is checked again alone.
        results = [self.run(source.name, *states_for(batch)) for source in batch.sources]
        return ''.join(text for code, text in results if code != 0)

    def run(self, file, *options):
        result = subprocess.run([self.clang_tidy, '-p', str(self.folder), '--quiet', *options, file], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return result.returncode, result.stdout


def main():
    build, clang_tidy = pathlib.Path(sys.argv[1]), sys.argv[2]
    sources = read_sources(filter(None, sys.stdin.read().split('\0')), build)
    batches = make_batches(sources)
    linter = Linter(build, clang_tidy)
    linter.write_commands(batches)
    checks = (repeated_includes, missing_includes, unused_aliases)
    found = [line for source in sources for check in checks for line in check(source)]
    print(*found, sep='\n', end='\n' if found else '')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(linter.check, range(len(batches)), batches):
            print(text, end='', flush=True)  # printed at once, because the other batches can take minutes
            found += [text] if text else []
    sys.exit(1 if found else 0)


if __name__ == '__main__':
    main()
