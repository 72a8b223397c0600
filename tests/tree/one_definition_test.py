"""one_definition_test.py ROOT: checks that no name is defined twice, and that each room defines names only in its
namespace.

If a name has two definitions in different sources, the compiler can't notice it, and the linker silently takes one of
them.
"""
import collections
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'cmake'))
from cpp_names import definitions  # noqa: E402

ROOMS = {'app', 'detector', 'nms', 'overlay', 'pipeline', 'track', 'verify', 'video'}
FOLDERS = sorted(ROOMS) + ['bench', 'core', 'examples', 'experiments', 'tests']
SOURCES = {'.h', '.cpp', '.cu', '.cuh'}


def defined_twice(texts):
    """Returns {name: files} for the names that several files define. `texts` is {file: text}."""
    files = collections.defaultdict(set)
    for file, text in texts.items():
        for definition in definitions(text):
            if not definition.is_of_one_source and definition.namespace:
                files[definition.full_name].add(file)
    return {name: sorted(places) for name, places in files.items() if len(places) > 1}


def outside_of_its_room(texts):
    """Returns (file, line, name) of each definition in a room that isn't in the room's namespace facepipe::ROOM."""
    found = []
    for file, text in texts.items():
        room = pathlib.PurePath(file).parts[0]
        if room not in ROOMS:
            continue
        for definition in definitions(text):
            namespace = definition.namespace[:2]
            if namespace[:1] == ('facepipe',) and namespace != ('facepipe', room):
                found.append((file, definition.line, definition.full_name))
    return found


class OneDefinition(unittest.TestCase):
    def test_finds_names_that_are_defined_twice(self):
        type_ = 'namespace facepipe::video {\nstruct Fields { bool track = false; };\n}\n'
        enum = 'namespace facepipe {\nnamespace video {\nenum class Fields : int { none };\n}\n}\n'
        self.assertEqual(defined_twice({'a.h': type_, 'b.h': enum}), {'facepipe::video::Fields': ['a.h', 'b.h']})
        function = 'namespace facepipe {\ninline int twice(int of) { return 2 * of; }\n}\n'
        self.assertEqual(defined_twice({'a.h': function, 'b.h': function}),
                         {'facepipe::twice( int of )': ['a.h', 'b.h']})
        constant = 'namespace facepipe {\ninline constexpr int kMost = 3;\n}\n'
        template = 'namespace facepipe {\ntemplate <typename T>\nconstexpr T kMost{3};\n}\n'
        self.assertEqual(defined_twice({'a.h': constant, 'b.h': template}), {'facepipe::kMost': ['a.h', 'b.h']})

    def test_leaves_alone_what_may_stand_twice(self):
        texts = {
            'a.h': 'namespace facepipe {\nclass Frame;\nint sum(int of);\n}\n',
            'a.cpp': 'namespace facepipe {\nclass Frame { int a; };\nnamespace {\nconstexpr int kMost = 3;\n}\n'
                     'int sum(int of) { return of; }\n}\n',
            'b.cpp': 'namespace facepipe {\nnamespace {\nconstexpr int kMost = 4;\n}\nint sum(double of) { return 1; }\n'
                     'int Frame::sum(int of) { return a[b[0]]; }\nbool operator==(int, Frame) { return true; }\n}\n',
            'c.cpp': 'namespace facepipe::video {\nclass Frame {};\n}\n// struct Frame {};\nnamespace fs = std::filesystem;\n',
        }
        self.assertEqual(defined_twice(texts), {})

    def test_finds_what_is_outside_of_its_room(self):
        text = 'namespace facepipe {\nstruct Lane { int a; };\n}\n'
        self.assertEqual(outside_of_its_room({'video/a.h': text}), [('video/a.h', 2, 'facepipe::Lane')])
        self.assertEqual(outside_of_its_room({'core/a.h': text}), [])
        inner = 'namespace facepipe::video::order {\nstruct Lane {};\n}\nint main() { return 0; }\n'
        self.assertEqual(outside_of_its_room({'video/a.h': inner}), [])


class Tree(unittest.TestCase):
    texts = {}

    def test_no_name_is_defined_twice(self):
        self.assertGreater(sum(len(definitions(text)) for text in self.texts.values()), 3000)
        self.assertEqual(defined_twice(self.texts), {})

    def test_each_room_has_its_namespace(self):
        self.assertEqual(outside_of_its_room(self.texts), [])


if __name__ == '__main__':
    root = pathlib.Path(sys.argv.pop())
    Tree.texts = {str(path.relative_to(root)): path.read_text() for folder in FOLDERS
                  for path in sorted((root / folder).rglob('*')) if path.suffix in SOURCES}
    unittest.main()
