"""Clips that are repeated, without being encoded again, until they have enough frames."""
import math
import pathlib

import measurement


def frames_of(clip):
    used = measurement.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_packets",
                            "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", clip])
    return int(used.output.strip().strip(","))


def repeated(clip, frames, folder):
    """The clip again and again, at least `frames` long."""
    times = math.ceil(frames / frames_of(clip))
    output = pathlib.Path(folder) / f"{clip.stem}_repeated{clip.suffix}"
    measurement.run(["ffmpeg", "-v", "error", "-stream_loop", times - 1, "-i", clip, "-c", "copy",
                     output])
    return output
