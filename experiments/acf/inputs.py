"""Makes the pictures from the demo photo. They replace those of TownCenter.

Existing files aren't made again. So one can copy the raw files (NV12 and grey levels) to a machine without FFmpeg.
"""
from dataclasses import dataclass
from pathlib import Path

import ffmpeg
import measurement

PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
SIZE, QUICK_SIZE = (1920, 1080), (320, 240)
CLIP_FRAMES, QUICK_CLIP_FRAMES = 20, 4


@dataclass
class Picture:
    name: str  # photo or crowd
    label: str  # for tables and figures
    size: tuple
    folder: Path

    def facts(self):
        return {"name": self.name, "label": self.label, "stand_in": True, "size": self.size}

    def shown_size(self):
        return f"{self.size[0]}x{self.size[1]}"

    def file(self, ending):
        return self.folder / f"{self.name}_{self.shown_size()}.{ending}"

    def nv12(self):
        """Makes the picture as raw NV12 without padding."""
        return ffmpeg.made(self.file("nv12"), lambda: ["-i", PHOTO, "-vf", filters(self.name, self.size), *RAW])

    def grey(self):
        """Makes grey levels of full range."""
        return ffmpeg.made(self.file("grey"), lambda: [
            *self.raw_input(), "-vf", "scale=in_range=limited:out_range=full,format=gray", *RAW])

    def clip(self, frames):
        """Makes a lossless clip that repeats the picture."""
        return ffmpeg.made(self.file(f"{frames}.mkv"), lambda: [
            "-stream_loop", frames - 1, *self.raw_input(), "-frames:v", frames, "-pix_fmt", "yuv420p", "-c:v",
            "libx264", "-preset", "ultrafast", "-qp", "0", *tags(self.size)])

    def raw_input(self):
        return ["-f", "rawvideo", "-pixel_format", "nv12", "-video_size", self.shown_size(), "-i", self.nv12()]


RAW = ["-f", "rawvideo"]


def matrix(size):
    """Returns the colour matrix of pictures without tags, by height."""
    return "bt709" if size[1] >= 720 else "smpte170m"


def tags(size):
    return ["-colorspace", matrix(size), "-color_range", "tv"]


def filters(name, size):
    """Returns filters that enlarge the photo, or that repeat it at its own size until it fills the picture."""
    width, height = size
    place = f"scale={width}:{height}:flags=bilinear" if name == "photo" else (
        f"loop=14:1,tile=5x3,crop={width}:{height}:0:0")
    return f"{place},scale=in_range=full:out_range=limited:out_color_matrix={matrix(size)},format=nv12"


def pictures(arguments, folder):
    """Returns {name: Picture}."""
    folder.mkdir(parents=True, exist_ok=True)
    size = QUICK_SIZE if arguments.quick else SIZE
    everything = [Picture("crowd", "stand-in for TownCenter: the demo photo repeated", size, folder),
                  Picture("photo", "stand-in for TownCenter: the demo photo enlarged", size, folder)]
    return {one.name: one for one in everything}
