"""Packs: tar files of pictures, with what is known of each picture in pictures.jsonl.

Each line of pictures.jsonl has these values:
 * file: name of the JPEG file in the pack; source: name of the picture that it was made from
 * kind: "photo", or "frame" if it is a frame of an encoded video
 * width, height: in pixels
 * boxes: x1 y1 x2 y2 of the labelled faces
 * ignore: boxes of faces that are mostly outside the picture; they count neither as faces nor as background
"""
import io
import json
import tarfile
from dataclasses import asdict, dataclass, field

import numpy as np

from onnx_file import Refused

LIST = "pictures.jsonl"
LISTS = ("boxes", "ignore")


@dataclass
class Picture:
    file: str
    source: str
    kind: str
    width: int
    height: int
    boxes: list = field(default_factory=list)
    ignore: list = field(default_factory=list)


def add(tar, name, data):
    """Adds a file without a time or an owner, so that the same content gives the same bytes."""
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def write(path, pictures, data, more=()):
    """Writes a pack. `data` are the JPEG files of `pictures`; `more` are other files, as (name, bytes)."""
    rounded = [{key: np.round(np.array(value, float), 3).tolist() if key in LISTS else value
                for key, value in asdict(picture).items()} for picture in pictures]
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        add(tar, LIST, "".join(json.dumps(one) + "\n" for one in rounded).encode())
        for picture, jpeg in zip(pictures, data):
            add(tar, picture.file, jpeg)
        for name, content in more:
            add(tar, name, content)


def read(path):
    """Returns [(Picture, JPEG file)] and {name: bytes} of the other files. The lists of boxes become arrays."""
    try:
        with tarfile.open(path, "r:") as tar:
            files = {entry.name: tar.extractfile(entry).read() for entry in tar.getmembers() if entry.isfile()}
        lines = files.pop(LIST).decode().splitlines()
        pictures = [Picture(**json.loads(line)) for line in lines]
        found = [(picture, files.pop(picture.file)) for picture in pictures]
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    except (tarfile.TarError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"{path}: no pack that prepare has written: {error}") from None
    for picture in pictures:
        for name in LISTS:
            setattr(picture, name, np.array(getattr(picture, name), np.float32).reshape(-1, 4))
    return found, files
