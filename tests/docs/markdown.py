"""Parses the Markdown of the documentation: its pages, their fenced blocks, and the code in sentences."""
import dataclasses
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]

COMMANDS = "sh"  # language of a block that contains commands
FENCE = re.compile(r"^(?P<fence>```+|~~~+)(?P<language>[^\n]*)\n(?P<text>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)
# A remark stands directly before a block: <!-- not run: needs a GPU -->, <!-- run: exit 7 --> or <!-- run: makes
# clip_hidden.mp4, t.json -->.
REMARK = re.compile(r"<!--(?P<remark>[^\n]*?)-->\n\n?\Z")
RUN = re.compile(r"run:(?: exit (?P<code>\d+))?;?(?: makes (?P<made>[^;]+))?")
NOT_RUN = re.compile(r"not run: (?P<reason>\S.*)")
CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
INDENTED_COMMAND = re.compile(r"^    (?:facepipe |\./dev |build/facepipe |bench/|data/|experiments/)", re.MULTILINE)


@dataclasses.dataclass
class Block:
    """Holds a fenced block. If its remark is wrong, `problem` says why."""
    line: int
    language: str
    text: str
    not_run: str = ""
    exit_code: int = 0
    made: tuple = ()
    problem: str = ""

    @property
    def has_commands(self):
        return self.language == COMMANDS


def pages():
    """Returns the files whose commands are checked."""
    return [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def blocks(text):
    return [marked(Block(line_of(text, fence.start()), fence["language"].strip(), fence["text"]),
                   REMARK.search(text[:fence.start()]))
            for fence in FENCE.finditer(text)]


def marked(block, remark):
    """Parses the remark before a block. Returns the block with the remark's contents."""
    if not block.language:
        block.problem = "a block without a language: say sh for commands, text, json, ... for all else"
    if remark is None or not re.match(r" *(not )?run", remark["remark"]):
        return block
    words = remark["remark"].strip()
    run, not_run = RUN.fullmatch(words), NOT_RUN.fullmatch(words)
    if not_run:
        block.not_run = not_run["reason"]
    elif run:
        block.exit_code = int(run["code"] or 0)
        block.made = tuple(name.strip() for name in (run["made"] or "").split(",") if name.strip())
    else:
        block.problem = f"a remark that is neither \"not run: REASON\" nor \"run: exit N; makes FILES\": {words}"
    if not block.has_commands:
        block.problem = f"a remark about running a block of {block.language}, which holds no commands"
    return block


def without_blocks(text):
    """Replaces each line of the fenced blocks in `text` by an empty line, so that line numbers stay the same."""
    return FENCE.sub(lambda fence: "\n" * fence.group().count("\n"), text)


def code_spans(text):
    """Returns (line, code) for each code span in a sentence."""
    prose = without_blocks(text)
    return [(line_of(prose, span.start()), span[1]) for span in CODE_SPAN.finditer(prose)]


def indented_commands(text):
    """Returns the lines of commands in indented blocks, which the tests wouldn't run."""
    prose = without_blocks(text)
    return [line_of(prose, found.start()) for found in INDENTED_COMMAND.finditer(prose)]
