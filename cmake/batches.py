"""Joins sources into batches that can be compiled as one source.

Most of a compiler's time goes into the headers of a source, which a batch reads once. A source isn't joined if it
defines macros or operator new. Sources aren't joined if a name that only one of them sees would mean something in
another one.
"""
import dataclasses
import functools
import pathlib
import re

from cpp_names import definitions

MOST_SOURCES = 10
MOST_LINES = 4000
# What constants and types are called. Variables have names that are also members or parameters elsewhere.
NAME = re.compile(r'\bk?[A-Z]\w*')
# A call of a function that is neither a member nor named with its namespace.
CALL = re.compile(r'(?<![\w.>:])([a-z_]\w*)\(')
INCLUDE = re.compile(r'^#include "(.*)"', re.MULTILINE)
ROOT = pathlib.Path(__file__).resolve().parents[1]


@functools.cache
def read_header(name):
    """Returns a header's words that could be constants or types, and the names of the headers that it includes."""
    file = ROOT / name
    text = file.read_text() if file.exists() else ''
    return set(NAME.findall(text)), INCLUDE.findall(text)


def words_of_headers(names):
    """Returns the words of these headers, and of those that they include."""
    words, known, left = set(), set(), list(names)
    while left:
        name = left.pop()
        if name not in known:
            known.add(name)
            more, included = read_header(name)
            words |= more
            left += included
    return words


@dataclasses.dataclass
class Names:
    """Names in one source, or in the sources of a batch."""
    defined: set  # what must not be defined twice: names that only one source sees, types, and aliases
    hidden: set  # constants and types that only one source sees, without their namespaces
    used: set  # all words that could be constants or types, also in headers of the tree
    hidden_functions: set  # functions that only one source sees, without namespaces and parameters
    called: set  # functions that a source calls, but doesn't hide: they are found in headers of the tree

    @classmethod
    def none(cls):
        return cls(*(set() for _ in dataclasses.fields(cls)))

    def clash_with(self, other):
        return (self.defined & other.defined or self.hidden & other.used or self.used & other.hidden or
                self.hidden_functions & other.called or self.called & other.hidden_functions)

    def __ior__(self, other):
        self.defined |= other.defined
        self.hidden |= other.hidden
        self.used |= other.used
        self.hidden_functions |= other.hidden_functions
        self.called |= other.called
        return self


@dataclasses.dataclass
class Source:
    name: str
    text: str
    flags: tuple  # the compiler's flags, without the names of the source and the object file
    directory: str

    def names(self):
        """Returns the names that this source gives to a batch."""
        defined, hidden, functions = self.definitions()
        used = set(NAME.findall(self.text)) | words_of_headers(INCLUDE.findall(self.text))
        called = set(CALL.findall(self.text)) - set(functions)
        return Names(set(defined), set(hidden), used, set(functions), called)

    def definitions(self):
        """Returns Names.defined, Names.hidden and Names.hidden_functions of this source."""
        found = [d for d in definitions(self.text) if d.is_of_one_source or d.is_type]
        aliases = re.findall(r'^ *using (\w+) =', self.text, re.MULTILINE)
        hidden = {d.name for d in found if d.is_of_one_source and NAME.fullmatch(d.name)}
        functions = {d.name.split('(')[0] for d in found if d.is_of_one_source and '(' in d.name}
        return sorted({d.full_name for d in found}.union(aliases)), sorted(hidden), sorted(functions)

    def stands_alone(self):
        # "operator new": in a batch, GCC sees into functions that replace the library's, and warns of each use.
        return any(text in self.text for text in ('#define', 'foreach_target', 'operator new('))


@dataclasses.dataclass
class Batch:
    sources: list
    names: Names
    lines: int

    def has_room(self, names, lines):
        fits = len(self.sources) < MOST_SOURCES and self.lines + lines <= MOST_LINES
        return fits and not self.names.clash_with(names)

    def add(self, source, names, lines):
        self.sources.append(source)
        self.names |= names
        self.lines += lines


def make_batches(sources):
    batches, open_batches = [], {}
    for source in sources:
        lines = source.text.count('\n')
        if source.stands_alone():
            batches.append(Batch([source], Names.none(), lines))
            continue
        names = source.names()
        candidates = open_batches.setdefault(source.flags, [])
        batch = next((b for b in candidates if b.has_room(names, lines)), None)
        if batch is None:
            batch = Batch([], Names.none(), 0)
            candidates.append(batch)
            batches.append(batch)
        batch.add(source, names, lines)
    return sorted(batches, key=lambda b: -b.lines)
