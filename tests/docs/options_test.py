"""options_test.py: checks that the tables in docs/options.md equal those made from the program's table of options, and
that the page describes the form of this table.

options_test.py --write: writes these tables into the page, between <!-- options: GROUP --> and <!-- end of options -->.
A person writes the rest of the page.
"""
import re
import sys
import unittest

from commands import program
from commands import tables as help_of
from markdown import SOURCE

PAGE = SOURCE / "docs" / "options.md"
TABLE = re.compile(r"(?<=<!-- options: )(?P<group>[^\n]+?) -->\n.*?(?=<!-- end of options -->)", re.DOTALL)
HEAD = "| option | meaning | default | commands |\n|---|---|---|---|\n"
# These words are written as code: options, and words that Markdown would read as formatting.
CODE = re.compile(r"--[a-z][a-z0-9-]*|[^\s()]*[*_%$#\[\]<>=][^\s();,]*")


def coded(text):
    """Returns `text` with options, and words that Markdown would read as formatting, written as code."""
    return CODE.sub(lambda word: f"`{word[0]}`", text)


def number(value):
    return str(int(value)) if value == int(value) else f"{value:g}"


def meaning(option):
    """Returns an option's help, and its range if neither the help nor the kind of value contains it."""
    text = coded(option["help"])
    if "range" not in option or ".." in option["kind"]:
        return text
    low, high = map(number, option["range"])
    return f"{text} ({low} to {high})"


def names(option):
    *short, long = option["names"].split(",")
    kind = option["kind"].replace("|", " or ")  # a "|" would end the cell
    return ", ".join(f"`{name}`" for name in [*short, f"{long} {kind}".strip()])


def users_of(option):
    """Returns the commands that have an option. The page says that a plan has the options of its command."""
    return [command for command in option["groups"] if command.removeprefix("plan ") not in option["groups"]
            or not command.startswith("plan ")]


def row(option, commands):
    users = "all" if len(option["groups"]) == len(commands) > 2 else ", ".join(users_of(option))
    return f"| {names(option)} | {meaning(option)} | {coded(option['default'])} | {users} |\n"


def tables(listed):
    """Returns {group: table}. An option belongs to the group that its first command gives it."""
    rows = {}
    commands = {command for option in listed for command in option["groups"]}
    for option in listed:
        rows.setdefault(next(iter(option["groups"].values())), []).append(row(option, commands))
    return {group: f"\n{HEAD}{''.join(lines)}\n" for group, lines in rows.items()}


def written(page, wanted):
    """Returns `page` with the tables of `wanted` between the marks of their groups."""
    return TABLE.sub(lambda place: f"{place['group']} -->\n{wanted.get(place['group'], '')}", page)


def problems(page, wanted):
    places = [place["group"] for place in TABLE.finditer(page)]
    found = [f"the page has {places.count(group)} tables of the group {group}, not one" for group in wanted
             if places.count(group) != 1]
    found += [f"no option is in the group {group}" for group in places if group not in wanted]
    if not found and written(page, wanted) != page:
        found.append("a table differs from the program's: run tests/docs/options_test.py --write")
    return found


class Page(unittest.TestCase):
    def test_has_the_programs_tables(self):
        self.assertEqual(problems(PAGE.read_text(encoding="utf-8"), tables(help_of(program())["options"])), [])


def keys_of(told):
    """Returns the names of all members in the program's tables, without those that are names of commands."""
    if isinstance(told, list):
        return set().union(*map(keys_of, told))
    if not isinstance(told, dict):
        return set()
    return set(told).union(*(keys_of(value) for name, value in told.items() if name != "groups"))


class Form(unittest.TestCase):
    def test_is_described(self):
        """The table of members in the page must list those that the program prints, and no other."""
        page = PAGE.read_text(encoding="utf-8")
        listed = re.findall(r"^\| `(\w+)` \|", page[page.index("<!-- members -->"):page.index("<!-- end of members -->")],
                            re.MULTILINE)
        self.assertCountEqual(listed, keys_of(help_of(program())))


EXAMPLE = [
    {"names": "-o,--output", "kind": "PATH", "help": "A name with %05d; see --format", "default": "x_faces",
     "groups": {"run": "Output", "hide": "Output"}},
    {"names": "--every", "kind": "auto|N", "help": "Every Nth", "default": "1", "range": [0.5, 16.0],
     "groups": {"run": "Search"}},
]
RIGHT = """Before.
<!-- options: Output -->

| option | meaning | default | commands |
|---|---|---|---|
| `-o`, `--output PATH` | A name with `%05d`; see `--format` | `x_faces` | run, hide |

<!-- end of options -->
Between.
<!-- options: Search -->

| option | meaning | default | commands |
|---|---|---|---|
| `--every auto or N` | Every Nth (0.5 to 16) | 1 | run |

<!-- end of options -->
"""


class Check(unittest.TestCase):
    def test_leaves_what_is_right(self):
        self.assertEqual(problems(RIGHT, tables(EXAMPLE)), [])
        self.assertEqual(written(RIGHT, tables(EXAMPLE)), RIGHT)

    def test_finds_what_is_wrong(self):
        wanted = tables(EXAMPLE)
        for page, expected in (
                (RIGHT.replace("Nth", "nth"), "differs"),
                (RIGHT.replace("| `--every auto or N` | Every Nth (0.5 to 16) | 1 | run |\n", ""), "differs"),
                (RIGHT.replace("options: Search", "options: Serach"), "0 tables of the group Search"),
                (RIGHT + RIGHT, "2 tables of the group Output"),
                (RIGHT + "<!-- options: Sound -->\n<!-- end of options -->\n", "no option is in the group Sound")):
            with self.subTest(page):
                self.assertIn(expected, " ".join(problems(page, wanted)))
                self.assertNotEqual(page, RIGHT)

    def test_writes_what_is_right(self):
        empty = re.sub(r"(options: \w+ -->\n).*?(<!-- end)", r"\1\2", RIGHT, flags=re.DOTALL)
        self.assertNotIn("--every", empty)
        self.assertEqual(written(empty, tables(EXAMPLE)), RIGHT)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), tables(help_of(program())["options"])), encoding="utf-8")
    else:
        unittest.main()
