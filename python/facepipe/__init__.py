"""Finds faces in videos, and hides them. This module starts the program facepipe and reads what it writes.

    import facepipe

    for frame in facepipe.detect("clip.mp4"):
        print(frame.time_s, [face.box for face in frame.faces])
    facepipe.hide("clip.mp4", "hidden.mp4")
    facepipe.verify("clip.mp4", "hidden.mp4")

Each function takes the program's options as keyword arguments: --min-face 20 is min_face=20 (see
facepipe.Option). The page docs/python.md has more examples.
"""
from ._errors import (DamageError, DeviceError, Error, FaceVisibleError, InputError, InternalError, OutputError,
                      Stopped, UsageError)
from ._functions import Verification, detect, hide, verify
from ._program import Option, program
from ._records import Box, Face, Frame

__all__ = [
    "Box", "DamageError", "DeviceError", "Error", "Face", "FaceVisibleError", "Frame", "InputError", "InternalError",
    "Option", "OutputError", "Stopped", "UsageError", "Verification", "detect", "hide", "program", "verify",
]
