"""Finds the program, makes its command lines, and runs it."""
from __future__ import annotations

import collections.abc
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import typing

from ._errors import DeviceError, error_of

#: The value of an option. True gives an option without a value; None and False leave the option out. A list gives
#: its words, joined by commas; an option that may be given several times takes a tuple.
Option = typing.Union[str, int, float, bool, None, "os.PathLike[str]", "list[str]", "tuple[str, ...]"]
Path = typing.Union[str, "os.PathLike[str]"]

#: How much of what the program says on standard error an exception contains, in bytes.
_MOST_TOLD = 4000


def program() -> str:
    """Returns the path of the program: the environment variable FACEPIPE_PROGRAM, else the program of this package,
    else the program on PATH. Throws DeviceError if there is none."""
    named = os.environ.get("FACEPIPE_PROGRAM")
    if named:
        return named
    packaged = pathlib.Path(__file__).parent / "bin" / "facepipe"
    if packaged.exists():
        return str(packaged)
    found = shutil.which("facepipe")
    if found is None:
        raise DeviceError("there is no program facepipe in this package or on PATH; "
                          "the environment variable FACEPIPE_PROGRAM can name it", 4)
    return found


def words_of(options: collections.abc.Mapping[str, Option]) -> list[str]:
    """Returns the words of the command line for keyword arguments: min_face=20 gives --min-face=20."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, tuple):
            words += [f"{option}={one}" for one in value]
        elif isinstance(value, list):
            words.append(f"{option}={','.join(value)}")
        else:
            words.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return words


def input_word(path: Path) -> str:
    """Returns an input as a word that can't be taken for an option."""
    word = os.fspath(path)
    return f"./{word}" if word.startswith("-") and word != "-" else word


@contextlib.contextmanager
def running(words: list[str], stdout: int) -> collections.abc.Iterator[subprocess.Popen[bytes]]:
    """Starts the program, and waits until it ends. If the exit code isn't 0, throws its exception, which contains what
    the program said on standard error.

    If an exception leaves the block (KeyboardInterrupt after Ctrl-C, or GeneratorExit), the program gets the signal of
    Ctrl-C and ends as it does on a terminal: it keeps the video so far. The program runs in its own session.
    Otherwise Ctrl-C on a terminal would reach it twice, and the second signal would end it at once."""
    with tempfile.TemporaryFile() as told:
        child = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=told,
                                 start_new_session=True)
        with child:
            try:
                yield child
                exit_code = child.wait()
            except BaseException:
                _stop(child)
                raise
        if exit_code != 0:
            raise error_of(exit_code, _end_of(told))


def run(words: list[str]) -> None:
    """Runs the program to its end. Throws as running() does."""
    with running(words, stdout=subprocess.DEVNULL):
        pass


def _stop(child: subprocess.Popen[bytes]) -> None:
    if child.stdout is not None:
        child.stdout.close()  # the program may wait until somebody reads
    child.send_signal(signal.SIGINT)
    try:
        child.wait()
    except KeyboardInterrupt:  # a second Ctrl-C ends the program at once, as it does on a terminal
        child.kill()
        child.wait()


def _end_of(told: typing.IO[bytes]) -> str:
    length = told.seek(0, os.SEEK_END)
    told.seek(max(0, length - _MOST_TOLD))
    return told.read().decode(errors="replace").strip()
