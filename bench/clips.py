"""Reads packets of clips, and repeats clips without encoding them again, so that they have enough frames."""
import math
import pathlib

import measurement


def packet_sizes(clip):
    """Returns the bytes of each packet of the first video stream, in the order of decoding."""
    used = measurement.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
                            "packet=size", "-of", "csv=p=0", clip])
    return [int(line.strip(",")) for line in used.output.split()]


def looped(clip, times, folder):
    """Repeats the clip this many times."""
    output = pathlib.Path(folder) / f"{clip.stem}_repeated{clip.suffix}"
    measurement.run(["ffmpeg", "-v", "error", "-stream_loop", times - 1, "-i", clip, "-c", "copy",
                     output])
    return output


def repeated(clip, frames, folder):
    """Repeats the clip until it has at least `frames` frames."""
    return looped(clip, math.ceil(frames / len(packet_sizes(clip))), folder)
