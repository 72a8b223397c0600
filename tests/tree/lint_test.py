"""Tests what lint.py finds in single sources and in batches."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import lint

HERE = pathlib.Path(__file__).parent
# The fake clang-tidy finds the word BAD, and reports an error for two lines that contain CLASH.
FAKE_CLANG_TIDY = '''#!/usr/bin/env python3
import sys
file = sys.argv[-1]
lines = open(file).read().split('\\n')
if sum('CLASH' in line for line in lines) > 1:
    print(f'{file}:1:1: error: redefinition [clang-diagnostic-error]')
    sys.exit(1)
bad = [i for i, line in enumerate(lines) if 'BAD' in line]
for i in bad:
    print(f'{file}:{i + 1}:3: error: bad [readability-bad]')
sys.exit(1 if bad else 0)
'''


def source(name, text, flags=('c++',)):
    return lint.Source(name, text, flags, '.')


class Includes(unittest.TestCase):
    def test_finds_those_that_are_repeated_or_missing(self):
        text = '#include <vector>\n#include "a.h"\n#include <vector>\nTEST(A, B) {}\n'
        self.assertEqual(list(lint.repeated_includes(source('a.cpp', text))),
                         ['a.cpp:3: <vector> is included again'])
        self.assertEqual(list(lint.missing_includes(source('a.cpp', text))),
                         ['a.cpp: includes no <gtest/gtest.h>, which it uses'])
        self.assertEqual(list(lint.missing_includes(source('a.cpp', '#include <gtest/gtest.h>\nTEST(A, B) {}\n'))), [])


class Aliases(unittest.TestCase):
    def test_finds_those_that_are_unused(self):
        used = 'namespace fs = std::filesystem;\nfs::path a;\n'
        self.assertEqual(list(lint.unused_aliases(source('a.cpp', used))), [])
        self.assertEqual(list(lint.unused_aliases(source('a.cpp', 'namespace fs = std::filesystem;\n'))),
                         ['a.cpp: the alias fs is unused'])


class Run(unittest.TestCase):
    def lint(self, texts, names=None):
        """Runs lint.py on files with these texts ({file: text}), or only on the files `names`. Returns its exit code
        and output."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / 'build').mkdir()
            tidy = folder / 'clang-tidy'
            tidy.write_text(FAKE_CLANG_TIDY)
            tidy.chmod(0o755)
            for file, text in texts.items():
                (folder / file).write_text(text)
            commands = [{'directory': str(folder), 'file': str(folder / file), 'command': f'c++ -o x.o -c {folder / file}'}
                        for file in texts]
            (folder / 'build' / 'compile_commands.json').write_text(json.dumps(commands))
            result = subprocess.run([sys.executable, '-B', HERE / 'lint.py', 'build', tidy], cwd=folder, text=True,
                                    input='\0'.join(names or texts) + '\0', capture_output=True, check=False)
            return result.returncode, result.stdout.strip()

    def test_clean_sources(self):
        self.assertEqual(self.lint({'a.cpp': 'int a;\n', 'b.cpp': 'int b;\n'}), (0, ''))

    def test_a_finding_stands_at_the_line_of_its_source(self):
        texts = {'a.cpp': 'int a;\nint aa;\n', 'b.cpp': 'int b;\nint BAD;\n', 'c.cpp': 'int BAD;\n'}
        self.assertEqual(self.lint(texts), (1, 'b.cpp:2:3: error: bad [readability-bad]\n'
                                               'c.cpp:1:3: error: bad [readability-bad]'))

    def test_a_name_may_be_written_in_several_ways(self):
        texts = {'a.cpp': 'int a;\nint BAD;\n', 'b.cpp': 'int b;\n'}
        self.assertEqual(self.lint(texts, ['./a.cpp']), (1, 'a.cpp:2:3: error: bad [readability-bad]'))

    def test_sources_that_clash_are_checked_one_by_one(self):
        texts = {'a.cpp': 'int CLASH;\n', 'b.cpp': 'int CLASH;\nint BAD;\n'}
        self.assertEqual(self.lint(texts), (1, 'b.cpp:2:3: error: bad [readability-bad]'))


if __name__ == '__main__':
    unittest.main()
