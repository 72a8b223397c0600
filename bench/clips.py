"""Reads the packets of clips. Repeats clips without encoding them again, so that they have enough frames."""
import math
import pathlib

import measurement


def packet_sizes(clip):
    """Returns the size in bytes of each packet of the first video stream, in decoding order."""
    used = measurement.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                            "packet=size", "-of", "csv=p=0", clip])
    return [int(line.strip(",")) for line in used.output.split()]


def looped(clip, times, folder):
    """Writes a file that repeats the clip `times` times to the folder, and returns its path."""
    output = pathlib.Path(folder) / f"{clip.stem}_repeated{clip.suffix}"
    measurement.run(["ffmpeg", "-v", "error", "-stream_loop", times - 1, "-i", clip, "-c", "copy",
                     output])
    return output


def repeated(clip, frames, folder):
    """Writes a file that repeats the clip until it has at least `frames` frames, and returns its path."""
    return looped(clip, math.ceil(frames / len(packet_sizes(clip))), folder)
