"""Checks that everything that the documentation names exists: commands and options of facepipe, ./dev and scripts, and
files."""
import json
import os
import pathlib
import re
import shlex
import subprocess

from markdown import SOURCE

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*|(?<![\w-])-[a-z](?![\w-])")
# These are top-level folders. If a word begins with one of them and a slash, it must be an existing path.
ROOTS = ("app", "bench", "cmake", "configs", "core", "data", "detector", "docker", "docs", "examples", "experiments",
         "nms", "overlay", "pipeline", "tests", "track", "verify", "video")
# These folders are made by scripts and never committed.
MADE = ("data/fetched", "data/generated")
# These folders contain scripts, which the pages show as commands.
SCRIPTS = ("bench/", "data/", "experiments/")
# These are options of other programs, which occur in sentences.
FOREIGN = {"--build-arg", "--user", "--gpus", "--volume"}


def program():
    return pathlib.Path(os.environ.get("FACEPIPE_PROGRAM", SOURCE / "build" / "facepipe")).resolve()


def output(path, *arguments):
    return subprocess.run([path, *arguments], capture_output=True, text=True, check=True).stdout


def tables(path):
    """Returns the program's tables of commands, options and exit codes."""
    return json.loads(output(path, "help", "--json"))


class Facepipe:
    """Holds the program's commands and the options of each, as its tables list them."""

    def __init__(self, path):
        told = tables(path)
        self.table = told["options"]
        self.version = told["version"]
        self.commands = [command["name"] for command in told["commands"]]
        self.groups = {command.split()[0] for command in self.commands if " " in command}
        self.exit_codes = [str(row["code"]) for row in told["exit_codes"]]
        self.general = {name for option in self.table if "General" in option["groups"].values()
                        for name in option["names"].split(",")}

    def options(self, command):
        """Returns the short and long names of the options of `command`."""
        names = [name for option in self.table if command in option["groups"] for name in option["names"].split(",")]
        return {name for name in names if name.startswith("-")} | self.general

    def all_options(self):
        return set().union(*(self.options(command) for command in self.commands))


class Checker:
    def __init__(self, facepipe):
        self.facepipe = facepipe
        self.dev = (SOURCE / "dev").read_text(encoding="utf-8")
        self.dev_commands = set(re.search(r"^ +(.*)\) \"\$command\"", self.dev, re.MULTILINE)[1].split(" | "))
        self.script_options = options_of_scripts()

    def in_block(self, text):
        """Returns the problems in a block of commands."""
        return [problem for command in simple_commands(text) for problem in self.of_command(command)]

    def of_command(self, words):
        name, arguments = words[0], words[1:]
        if name in ("facepipe", "build/facepipe"):
            return self.of_facepipe(arguments)
        if name == "./dev":
            return self.of_dev(arguments)
        if name == "python3" and arguments and not arguments[0].startswith("-"):
            return [] if (SOURCE / arguments[0]).is_file() else [f"there is no {arguments[0]}"]
        if name.startswith(SCRIPTS):
            return self.of_script(name, arguments)
        return []

    def of_facepipe(self, arguments):
        if not arguments:
            return ["facepipe without a command"]
        command = arguments[0]
        if command.startswith("-"):
            return [f"facepipe has no option {option}" for option in options_in(arguments)
                    if option not in self.facepipe.general]
        if command in self.facepipe.groups:
            command = " ".join(arguments[:2])
        if command not in self.facepipe.commands:
            return [f"facepipe has no command {command}"]
        known = self.facepipe.options(command)
        return [f"facepipe {command} has no option {option}" for option in options_in(arguments)
                if option not in known]

    def of_dev(self, arguments):
        command = next(iter(arguments), "help")
        if command not in self.dev_commands:
            return [f"./dev has no command {command}"]
        if command == "bench" and arguments[1:] and arguments[1] != "NAME":
            return self.of_script("bench/" + arguments[1], arguments[2:])
        passed_on = self.script_options if command == "experiments" else set()
        return [f"./dev {command} has no option {option}" for option in options_in(arguments)
                if option.startswith("--") and option not in passed_on and not self.named_in_dev(option)]

    def of_script(self, name, arguments):
        if not (SOURCE / name).is_file():
            return [f"there is no {name}"]
        text = text_of(SOURCE / name)
        return [f"{name} has no option {option}" for option in options_in(arguments)
                if option.startswith("--") and option not in text]

    def in_span(self, code):
        """Returns the problems in code within a sentence: a command, an option, or a path."""
        words = split(code)
        if not words:
            return []
        if words[0] in ("facepipe", "build/facepipe") and len(words) > 1 and words[1].islower():
            return self.of_facepipe(words[1:])
        if words[0] == "./dev":
            return self.of_dev(words[1:])
        if words[0].startswith(SCRIPTS) and len(words) > 1:
            return self.of_script(words[0], words[1:])
        return self.of_options(words) + [problem for word in words for problem in path_problems(word)]

    def of_options(self, words):
        """Returns the problems of options in a sentence, which may name an option of any command."""
        if not words[0].startswith("-"):
            return []
        known = self.facepipe.all_options() | self.script_options | FOREIGN
        return [f"no command has the option {option}" for option in options_in(words)
                if option not in known and not self.named_in_dev(option)]

    def named_in_dev(self, option):
        return option.startswith("--") and re.search(re.escape(option) + r"(?![\w-])", self.dev) is not None


def options_of_scripts():
    """Returns the options in the texts of the Python and Bash scripts of bench/, data/, experiments/ and python/."""
    scripts = [*SOURCE.glob("bench/*"), *SOURCE.glob("data/*"), *SOURCE.glob("experiments/**/*.py"),
               *SOURCE.glob("experiments/inputs/*"), *SOURCE.glob("python/facepipe/*.py")]
    taken = re.compile(r"\badd(?:_argument)?\((?:\s*\"-\w\",)?\s*\"(--[a-z0-9-]+)\"|^ *(--[a-z0-9-]+)\)", re.MULTILINE)
    return {name for script in scripts for names in taken.findall(text_of(script)) for name in names if name}


def options_in(words):
    """Returns the options among the words. Cuts off "=" and the text behind it, and ignores the words behind "--"."""
    before = words[:words.index("--")] if "--" in words else words
    return [word.split("=")[0] for word in before if OPTION.fullmatch(word.split("=")[0])]


def path_problems(word):
    """Returns a problem if a path into the repository doesn't exist. The path may contain * and end with a slash."""
    word = word.rstrip(".,;:")
    if word.split("/")[0] not in ROOTS or "/" not in word or word.startswith(MADE) or re.search("[A-Z]{4}|[<>{]", word):
        return []
    found = list(SOURCE.glob(word)) if "*" in word else (SOURCE / word).exists()
    return [] if found else [f"there is no {word}"]


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def split(text):
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def simple_commands(text):
    """Returns the commands of a block as lists of words, without assignments of variables. Pipes and && separate
    commands."""
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        command = []
        for word in [*split(line), "&&"]:
            if word in ("|", "&&", "||", ";"):
                if command:
                    yield command
                command = []
            elif command or not re.fullmatch(r"[A-Z_]+=.*", word):
                command.append(word)
