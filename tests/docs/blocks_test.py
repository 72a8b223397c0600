"""blocks_test.py PAGE: runs the command blocks of a page one after the other in one temporary folder.

Without a page, it runs blocks that don't do what their remarks say, and expects that they are reported.
"""
import pathlib
import sys
import tempfile
import unittest

import markdown
from running import link_tree, make_inputs, run_block


def failures(text):
    """Returns (line, reason) for each command block that doesn't do what its remark says.

    Blocks that are marked "not run" aren't run.
    """
    found = [(block.line, block.problem) for block in markdown.blocks(text) if block.problem]
    to_run = [block for block in markdown.blocks(text) if block.has_commands and not block.not_run]
    if found or not to_run:
        return found
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_inputs(folder)
        link_tree(folder)
        for block in to_run:
            why = run_block(block, folder)
            if why:
                found.append((block.line, why))
    return found


CASES = [
    # (text of a page, lines of the blocks that fail)
    ("```sh\ntrue\n```\n", []),
    ("```sh\nfalse\n```\n", [1]),
    ("```sh\nfalse\ntrue\n```\n", [1]),
    ("```sh\nfalse | cat\n```\n", [1]),
    ("<!-- run: exit 7 -->\n```sh\nexit 7\n```\n", []),
    ("<!-- run: exit 7 -->\n\n```sh\ntrue\n```\n", [3]),
    ("<!-- not run: it waits -->\n```sh\nsleep 1000\n```\n", []),
    ("<!-- run: makes a, b.* -->\n```sh\ntouch a b.txt\n```\n", []),
    ("<!-- run: exit 3; makes a, c -->\n```sh\ntouch a\nexit 3\n```\n", [2]),
    ("```sh\ntouch here\n```\n\nThen\n\n```sh\ntest -f here && test -f clip.mp4 && test -d holiday/day2\n```\n", []),
    ("```text\nfalse\n```\n", []),
    ("```\nfalse\n```\n", [1]),
    ("```sh\nfacepipe run clip.mp4 --scor 1\n```\n", [1]),
    ("<!-- run: exit 2 -->\n```sh\nfacepipe run clip.mp4 --scor 1\n```\n", []),
]


class Blocks(unittest.TestCase):
    def test_fail_where_they_do_not_what_is_said(self):
        for text, expected in CASES:
            with self.subTest(text):
                self.assertEqual([line for line, _ in failures(text)], expected)


def main():
    if len(sys.argv) < 2:
        unittest.main()
    page = pathlib.Path(sys.argv[1])
    found = failures(page.read_text(encoding="utf-8"))
    for line, why in found:
        print(f"{page}:{line}: {why}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
