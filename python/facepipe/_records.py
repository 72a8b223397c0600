"""The records that detect() yields."""
from __future__ import annotations

import dataclasses
import typing

if typing.TYPE_CHECKING:
    import numpy
    import numpy.typing


class Box(typing.NamedTuple):
    """The corners of a rectangle, in pixels of the upright picture: left, top, right, bottom."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclasses.dataclass(frozen=True)
class Face:
    """A face in a frame."""

    box: Box
    score: float
    #: left eye, right eye, nose, left and right corner of the mouth; None if the detector can't find landmarks
    landmarks: tuple[tuple[float, float], ...] | None
    #: the number of the face's track; None if it belongs to no track
    track: int | None
    #: "face", or what else the model finds
    kind: str
    #: False if this frame was not searched (option every), so that the face was followed from other frames
    searched: bool


@dataclasses.dataclass(frozen=True)
class Frame:
    """A frame of an input, with its faces."""

    #: the name of the input
    file: str
    #: counted from 0
    index: int
    #: the time stamp in the input, in seconds
    time_s: float
    #: the size of the upright picture, in pixels
    width: int
    height: int
    faces: tuple[Face, ...]

    def boxes(self) -> numpy.typing.NDArray[numpy.float32]:
        """Returns the boxes as a numpy array of shape (number of faces, 4): left, top, right, bottom in pixels."""
        import numpy  # only here, because the rest of the module needs no numpy

        return numpy.array([face.box for face in self.faces], dtype=numpy.float32).reshape(-1, 4)

    def scores(self) -> numpy.typing.NDArray[numpy.float32]:
        """Returns the scores as a numpy array of shape (number of faces,)."""
        import numpy

        return numpy.array([face.score for face in self.faces], dtype=numpy.float32)


def face_of(record: dict[str, typing.Any]) -> Face:
    landmarks = record["landmarks"]
    return Face(box=Box(*record["box"]), score=record["score"],
                landmarks=None if landmarks is None else tuple((x, y) for x, y in landmarks),
                track=record.get("track"), kind=record.get("class", "face"), searched=not record.get("tracked", False))


def frame_of(record: dict[str, typing.Any]) -> Frame:
    """Makes a frame from a line of `facepipe --detections` (docs/files.md)."""
    return Frame(file=record["file"], index=record["frame"], time_s=record["pts_s"], width=record["width"],
                 height=record["height"], faces=tuple(face_of(face) for face in record["faces"]))
