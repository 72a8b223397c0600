"""Tests which sources share a batch, and what join_sources.py prints of them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE = pathlib.Path(__file__).resolve().parents[2] / 'cmake'
sys.path.insert(0, str(CMAKE))
import batches  # noqa: E402


def source(name, text, flags=('c++',)):
    return batches.Source(name, text, flags, '.')


def names_of(made):
    return sorted([s.name for s in b.sources] for b in made)


class Batches(unittest.TestCase):
    def test_sources_that_are_compiled_alike_share_one(self):
        alike = [source('a.cpp', 'int a;\n'), source('b.cpp', 'int b;\n'), source('c.cpp', 'int c;\n', ('c++', '-DX'))]
        self.assertEqual(names_of(batches.make_batches(alike)), [['a.cpp', 'b.cpp'], ['c.cpp']])

    def test_names_that_stand_in_two_sources_keep_them_apart(self):
        hidden = 'namespace facepipe {\nnamespace {\nconstexpr int kMost = 3;\n}\n}\n'
        alias = 'namespace facepipe {\nusing Rows = int;\n}\n'
        for text in (hidden, alias):
            self.assertEqual(names_of(batches.make_batches([source('a.cpp', text), source('b.cpp', text)])),
                             [['a.cpp'], ['b.cpp']])

    def test_a_constant_or_type_of_one_source_keeps_those_apart_that_use_the_name(self):
        users = ('int a = kMost;\n', 'Row a;\n')
        for name, user in zip(('constexpr int kMost = 3;', 'struct Row {};'), users):
            hidden = source('a.cpp', 'namespace {\n' + name + '\n}\n')
            for pair in ([hidden, source('b.cpp', user)], [source('b.cpp', user), hidden]):
                self.assertEqual(names_of(batches.make_batches(pair)), [['a.cpp'], ['b.cpp']])

    def test_functions_of_one_source_do_not_keep_apart_what_has_other_functions(self):
        alike = [source('a.cpp', 'namespace {\nint size() { return 1; }\n}\n'), source('b.cpp', 'int a = b.size();\n')]
        self.assertEqual(names_of(batches.make_batches(alike)), [['a.cpp', 'b.cpp']])

    def test_a_function_of_one_source_keeps_those_apart_that_call_another_one_of_its_name(self):
        hidden = source('a.cpp', 'namespace {\nint text(int a) { return a; }\n}\nint a = text(1);\n')
        caller = source('b.cpp', 'int b = text("b");\n')
        for pair in ([hidden, caller], [caller, hidden]):
            self.assertEqual(names_of(batches.make_batches(pair)), [['a.cpp'], ['b.cpp']])
        with_its_own = source('c.cpp', 'namespace {\nint text(char c) { return c; }\n}\nint c = text(\'c\');\n')
        self.assertEqual(names_of(batches.make_batches([hidden, with_its_own])), [['a.cpp', 'c.cpp']])

    def test_macros_keep_a_source_apart(self):
        texts = ['#define A 1\n', 'int b;\n', 'int c;\n']
        made = batches.make_batches([source(f'{i}.cpp', text) for i, text in enumerate(texts)])
        self.assertEqual(names_of(made), [['0.cpp'], ['1.cpp', '2.cpp']])

    def test_batches_have_bounds(self):
        many = [source(f'{i:02}.cpp', 'int a;\n') for i in range(2 * batches.MOST_SOURCES)]
        self.assertEqual(len(batches.make_batches(many)), 2)
        long = [source(f'{i}.cpp', '\n' * (batches.MOST_LINES - 1)) for i in range(2)]
        self.assertEqual(len(batches.make_batches(long)), 2)


class JoinSources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.names = self.folder / 'names.json'

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def join(self, lines):
        return subprocess.run([sys.executable, '-B', CMAKE / 'join_sources.py', self.names], check=True, text=True,
                              input=''.join(line + '\n' for line in lines), capture_output=True).stdout.splitlines()

    def test_sources_of_a_target_share_a_batch(self):
        a, b = self.write('a.cpp', 'int a;\n'), self.write('b b.cpp', 'int b;\n')
        lines = self.join([f'one {a}', f'one {b}', f'two {a}'])
        self.assertEqual([line.rsplit(' ', 1)[0] for line in lines], [f'{a} one', f'{b} one'])
        self.assertEqual(len({line.rsplit(' ', 1)[1] for line in lines}), 1)

    def test_a_source_that_changes_is_read_again(self):
        a, b = (self.write(name, f'namespace {{\nconstexpr int {k} = 1;\n}}\n') for name, k in
                (('a.cpp', 'kA'), ('b.cpp', 'kB')))
        lines = [f'one {a}', f'one {b}']
        self.assertEqual(len(self.join(lines)), 2)
        self.assertEqual(len(self.join(lines)), 2)
        self.write('b.cpp', 'namespace {\nconstexpr int kA = 1;\n}\n')
        self.assertEqual(self.join(lines), [])

    def test_names_that_cannot_be_read_are_found_again(self):
        a, b = self.write('a.cpp', 'int a;\n'), self.write('b.cpp', 'int b;\n')
        for broken in ('', '[', '{"0": 1'):
            self.names.write_text(broken)
            self.assertEqual(len(self.join([f'one {a}', f'one {b}'])), 2)


if __name__ == '__main__':
    unittest.main()
