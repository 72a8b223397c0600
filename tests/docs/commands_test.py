"""Checks README.md and docs/: everything that their commands name must exist, and the pages must list every option.

Then it runs the same checks on wrong texts, and expects that the mistakes are reported.
"""
import re
import unittest

import markdown
from commands import Checker, Facepipe, program
from markdown import SOURCE

CHECKER = Checker(Facepipe(program()))


def problems(text):
    """Returns (line, problem) for each problem of a page."""
    found = [(line, "a command in an indented block: fence it, so that a test runs it")
             for line in markdown.indented_commands(text)]
    for block in markdown.blocks(text):
        if block.problem:
            found.append((block.line, block.problem))
        if block.has_commands:
            found += [(block.line, problem) for problem in CHECKER.in_block(block.text)]
    for line, code in markdown.code_spans(text):
        found += [(line, problem) for problem in CHECKER.in_span(code)]
    return found


class Pages(unittest.TestCase):
    def test_name_what_exists(self):
        for page in markdown.pages():
            for line, problem in problems(page.read_text(encoding="utf-8")):
                with self.subTest():
                    self.fail(f"{page.relative_to(SOURCE)}:{line}: {problem}")

    def test_list_every_option(self):
        """Each option of each command must occur in a table or a sentence of the pages."""
        everywhere = " ".join(code for page in markdown.pages()
                              for _, code in markdown.code_spans(page.read_text(encoding="utf-8")))
        for command in CHECKER.facepipe.commands:
            for option in sorted(CHECKER.facepipe.options(command)):
                if option.startswith("--") and not re.search(re.escape(option) + r"(?![\w-])", everywhere):
                    with self.subTest():
                        self.fail(f"no page names {option} of facepipe {command}")

    def test_list_every_exit_code(self):
        promised = CHECKER.facepipe.exit_codes
        self.assertGreater(len(promised), 5)
        page = (SOURCE / "docs" / "exit-codes.md").read_text(encoding="utf-8")
        self.assertCountEqual(re.findall(r"^\| (\d+) \|", page, re.MULTILINE), promised)


WRONG = [
    # (text of a page, the problem that must be found)
    ("```sh\nfacepipe run clip.mp4 --scor 0.5\n```\n", "facepipe run has no option --scor"),
    ("```sh\nfacepipe verify a b --draw boxes\n```\n", "facepipe verify has no option --draw"),
    ("```sh\nfacepipe detcet clip.mp4\n```\n", "facepipe has no command detcet"),
    ("```sh\ncat a | facepipe run - \\\n  --outputs -\n```\n", "facepipe run has no option --outputs"),
    ("```sh\nFACEPIPE_CUDA=ON ./dev biuld\n```\n", "./dev has no command biuld"),
    ("```sh\n./dev test --gpus\n```\n", "./dev test has no option --gpus"),
    ("```sh\n./dev bench nothing\n```\n", "there is no bench/nothing"),
    ("```sh\n./dev experiments --papers 004\n```\n", "./dev experiments has no option --papers"),
    ("```sh\nbench/ab.py a b c --no-such-option\n```\n", "bench/ab.py has no option --no-such-option"),
    ("```sh\ndata/nothing x\n```\n", "there is no data/nothing"),
    ("```sh\nexperiments/nothing x\n```\n", "there is no experiments/nothing"),
    ("```sh\npython3 examples/nothing.py x\n```\n", "there is no examples/nothing.py"),
    ("See `--scor`.\n", "no command has the option --scor"),
    ("See `facepipe doctor --fast`.\n", "facepipe doctor has no option --fast"),
    ("See `bench/results/none_*.txt`.\n", "there is no bench/results/none_*.txt"),
    ("See `core/nothing.h`.\n", "there is no core/nothing.h"),
    ("```\nfacepipe run clip.mp4\n```\n", "a block without a language"),
    ("    facepipe run clip.mp4\n", "a command in an indented block"),
    ("<!-- run: badly -->\n```sh\ntrue\n```\n", "a remark that is neither"),
    ("<!-- not run: -->\n```sh\ntrue\n```\n", "a remark that is neither"),
    ("<!-- not run: it is JSON -->\n```json\n{}\n```\n", "a remark about running"),
]

RIGHT = [
    "```sh\nfacepipe run clip.mp4 --score=0.5 -o - | cat --number\n```\n",
    "```sh\nfacepipe run -- --scor.mp4\n```\n",
    "```sh\nfacepipe --version  # --nothing\n```\n",
    "```sh\n./dev test --gpu && ./dev build -DFACEPIPE_CUDA_ARCHITECTURES=\"90\"\n```\n",
    "See `--careful`, `bench/results/lanes_*.txt`, `data/fetched/x` and `./dev bench NAME`.\n",
]


class Check(unittest.TestCase):
    def test_finds_what_is_wrong(self):
        for text, expected in WRONG:
            with self.subTest(text):
                found = problems(text)
                self.assertEqual(len(found), 1, found)
                self.assertIn(expected, found[0][1])

    def test_leaves_what_is_right(self):
        for text in RIGHT:
            with self.subTest(text):
                self.assertEqual(problems(text), [])


if __name__ == "__main__":
    unittest.main()
