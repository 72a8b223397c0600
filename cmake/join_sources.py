"""join_sources.py NAMES: says which sources of a target are compiled together.

Standard input has a line "TARGET SOURCE" for each source, with the absolute path of the source. Standard output has a
line "SOURCE TARGET BATCH" for each source that shares a batch with others of its target. NAMES is a file that keeps the
names that each source defines, because it takes some seconds to find them.
"""
import hashlib
import json
import os
import pathlib
import sys

from batches import Source, make_batches

HERE = pathlib.Path(__file__).resolve().parent
# What is kept is forgotten when the rules change.
RULES = b''.join((HERE / name).read_bytes() for name in ('batches.py', 'cpp_names.py'))
ROOT = HERE.parent


class KnownSource(Source):
    """A source whose definitions are looked up in `known`, by a hash of its text and of the rules."""
    known = {}
    found = {}  # the part of `known` that is still needed

    def definitions(self):
        key = hashlib.sha256(RULES + self.text.encode()).hexdigest()
        self.found[key] = self.known.get(key) or super().definitions()
        return self.found[key]


def read_known(file):
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return {}


def main():
    file = pathlib.Path(sys.argv[1])
    KnownSource.known = read_known(file)
    sources = []
    for line in sys.stdin:
        target, name = line.rstrip('\n').split(' ', 1)
        sources.append(KnownSource(name, pathlib.Path(name).read_text(), (target,), ''))
    for batch in make_batches(sources):
        if len(batch.sources) > 1:
            # The name stays the same while the batch's first source does, so that few batches are compiled again.
            name = '_'.join(os.path.splitext(os.path.relpath(batch.sources[0].name, ROOT))[0].split(os.sep))
            for source in batch.sources:
                print(source.name, source.flags[0], name)
    file.write_text(json.dumps(KnownSource.found))


if __name__ == '__main__':
    main()
