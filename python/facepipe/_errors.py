"""The exceptions of this module: a class for each exit code of the program (docs/exit-codes.md)."""
from __future__ import annotations

import typing


class Error(Exception):
    """The program ended with an exit code that isn't 0."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit_code)  # so that other processes can raise it again


class InternalError(Error):
    """Exit code 1, or an exit code that this module doesn't know: an error that belongs to no other class."""


class UsageError(Error):
    """Exit code 2: an option makes no sense, or two options contradict each other."""


class InputError(Error):
    """Exit code 3: an input can't be opened, read or decoded."""


class DeviceError(Error):
    """Exit code 4: the device, the engine or the model can't be used."""


class OutputError(Error):
    """Exit code 5: an output can't be written, or exists already."""


class DamageError(Error):
    """Exit code 6: the input is damaged. The output is finished and kept.
    Of verify(): frames or time stamps of the two videos differ, or a video is damaged."""


class FaceVisibleError(Error):
    """Exit code 7 of hide(): a face is perhaps visible in the hidden video, which is finished and kept."""


class Stopped(Error):
    """Exit code 130, or a signal: somebody stopped the program. The video so far is kept under a partial name."""


_BY_EXIT_CODE: typing.Final[dict[int, type[Error]]] = {
    2: UsageError, 3: InputError, 4: DeviceError, 5: OutputError, 6: DamageError, 7: FaceVisibleError, 130: Stopped,
}


def error_of(exit_code: int, message: str) -> Error:
    """Makes the exception of an exit code. A negative exit code is the number of the signal that ended the program."""
    kind = Stopped if exit_code < 0 else _BY_EXIT_CODE.get(exit_code, InternalError)
    return kind(message or f"facepipe ended with exit code {exit_code}", exit_code)
