"""Samples with nvidia-smi how much memory of the first device all programs together use."""
import subprocess
import threading
import time

PATIENCE_S = 20  # time to wait for the first sample


class Watch:
    """Takes samples (seconds, MiB) twice a second while the `with` block runs. They are complete when the block has
    ended.

    __enter__() waits for the first sample, so that a measurement without samples fails at its start.
    """

    def __init__(self):
        self.samples = []
        self._first = threading.Event()
        self._thread = None
        self._process = None

    def __enter__(self):
        # Without stdbuf, nvidia-smi would buffer its output, and the buffer would be lost when the program is ended.
        self._process = subprocess.Popen(
            ["stdbuf", "-oL", "nvidia-smi", "--id=0", "--query-gpu=memory.used",
             "--format=csv,noheader,nounits", "--loop-ms=500"], stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        self._first.wait(PATIENCE_S)
        if not self.samples:
            self.__exit__()
            raise RuntimeError("nvidia-smi tells nothing of the device's memory")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._thread.join()
        self._process.stdout.close()
        self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            if line.strip().isdigit():
                self.samples.append((time.monotonic(), int(line)))
                self._first.set()
        self._first.set()


def at(samples, moment):
    """Returns the MiB of the last sample at or before a moment. A later sample could show a program that has ended."""
    before = [mib for taken, mib in samples if taken <= moment]
    return before[-1] if before else samples[0][1]


def over(samples, begin, end, points=5):
    """Returns the MiB at `points` moments, evenly spaced from `begin` to `end`."""
    return [at(samples, begin + (end - begin) * i / (points - 1)) for i in range(points)]
