"""Memory in use on the first device over time, as nvidia-smi tells it: all programs together."""
import subprocess
import threading
import time


class Watch:
    """Samples (seconds, MiB) twice a second while the block runs. Thread-safe once it has ended."""

    def __init__(self):
        self.samples = []
        self._thread = None
        self._process = None

    def __enter__(self):
        self._process = subprocess.Popen(
            ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits",
             "--loop-ms=500"], stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._thread.join()
        self._process.stdout.close()
        self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            self.samples.append((time.monotonic(), int(line)))


def at(samples, moment):
    """MiB of the sample nearest to a moment."""
    if not samples:
        raise ValueError("nvidia-smi told nothing of the device's memory")
    return min(samples, key=lambda sample: abs(sample[0] - moment))[1]


def over(samples, begin, end, points=5):
    """MiB at so many moments from begin to end, evenly apart."""
    return [at(samples, begin + (end - begin) * i / (points - 1)) for i in range(points)]
