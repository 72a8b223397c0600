"""The functions of this module. Each runs one command of the program."""
from __future__ import annotations

import collections.abc
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import typing

from ._errors import DamageError, FaceVisibleError
from ._program import Option, Path, input_word, run, running, words_of
from ._records import Frame, frame_of


def detect(path: Path, *more: Path, tracks: bool = True,
           **options: Option) -> collections.abc.Generator[Frame, None, None]:
    """Yields a record for each frame of the inputs, as soon as the program has finished the frame.

    With `tracks`, the command is `facepipe detect`, which follows faces from frame to frame. So a frame comes about half
    a second of video after it was read, and faces have no landmarks. Without, it is `facepipe run --no-video`, which
    detects the faces of each frame alone. The keyword arguments are options of the command, such as device="cuda".

    After the last frame, throws the exception of the program's exit code if that isn't 0. To stop earlier, leave the
    loop and close the generator (contextlib.closing), or delete it."""
    command = ["detect"] if tracks else ["run", "--no-video"]
    words = [*command, "--quiet", "--detections=-", *words_of(options), *map(input_word, (path, *more))]
    with running(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        for line in child.stdout:
            yield frame_of(json.loads(line))


def hide(path: Path, output: Path | None = None, **options: Option) -> None:
    """Hides the faces of a video, and writes it to `output`. Without `output`, the new file lies beside the input and
    is called NAME_hidden.EXT. The keyword arguments are options of `facepipe hide`, such as careful=True.

    Throws the exception of the program's exit code. After DamageError and FaceVisibleError the output is finished."""
    run(["hide", "--quiet", *words_of({"output": output, **options}), input_word(path)])


@dataclasses.dataclass(frozen=True)
class Verification:
    """What verify() has found."""

    #: True if no face is visible, and the two videos belong together (exit code 0)
    passed: bool
    #: what the program says about the result, in words
    verdict: str
    #: how many findings there are of each kind: "leak", "cosmetic", "kept", "else"
    counts: dict[str, int]
    #: all that the program reports about each finding (docs/verify.md)
    findings: list[dict[str, typing.Any]]
    #: the whole report
    report: dict[str, typing.Any]


def verify(original: Path, hidden: Path, report: Path | None = None, **options: Option) -> Verification:
    """Compares a hidden video with its original, and looks for faces that are still visible. If `report` is given, the
    report stays there. The keyword arguments are options of `facepipe verify`, such as quick=True.

    Returns what was found, also if a face is visible or the videos differ. Throws the exceptions of all other exit
    codes."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "report.json") if report is None else pathlib.Path(report)
        words = ["verify", "--quiet", *words_of({"report": file, **options}), *map(input_word, (original, hidden))]
        try:
            run(words)
        except (FaceVisibleError, DamageError):
            if not file.exists():
                raise
        return _verification(json.loads(file.read_text(encoding="utf-8")))


def _verification(report: dict[str, typing.Any]) -> Verification:
    return Verification(passed=report["exit_code"] == 0, verdict=report["verdict"], counts=report["counts"],
                        findings=report["findings"], report=report)
