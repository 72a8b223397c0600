"""Samples the memory in use on the first device over time with nvidia-smi, for all programs together."""
import subprocess
import threading
import time

PATIENCE_S = 20  # time to wait for the first sample


class Watch:
    """Takes samples (seconds, MiB) twice a second while the block runs. They are complete once it has ended.

    Entering waits for the first sample, so that a measurement doesn't find out at its end that there is none.
    """

    def __init__(self):
        self.samples = []
        self._first = threading.Event()
        self._thread = None
        self._process = None

    def __enter__(self):
        # A pipe would buffer the output, and the buffer is lost when the program is ended.
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
    """Returns the MiB of the last sample up to a moment, because a later sample may show a program that has ended."""
    before = [mib for taken, mib in samples if taken <= moment]
    return before[-1] if before else samples[0][1]


def over(samples, begin, end, points=5):
    """Returns the MiB at `points` moments, evenly spaced from begin to end."""
    return [at(samples, begin + (end - begin) * i / (points - 1)) for i in range(points)]
