"""Makes files with FFmpeg."""
import sys

import measurement


def made(file, words):
    """Makes a file and returns it. The file appears only when it is complete. An existing file isn't made again.

    words() returns FFmpeg's arguments, except the output. It is called only if the file must be made.
    """
    if not file.exists():
        print(f"Making {file.name}", file=sys.stderr)
        unfinished = file.with_name(f"unfinished_{file.name}")
        measurement.run(["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *words(), unfinished])
        unfinished.rename(file)
    return file
