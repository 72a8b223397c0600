"""facepipe-ray as a process, for the tests with the real Ray."""
import json
import os
import pathlib
import subprocess
import sys
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Driver:
    """facepipe-ray as a process."""

    def __init__(self, output, address, *words, **variables):
        command = [sys.executable, SOURCE / "python" / "facepipe-ray", *words, "-o", output]
        if address:
            command += ["--address", address]
        self.output = output
        self.process = subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **variables})

    def wait(self):
        self.told = self.process.communicate(timeout=500)[1]
        return self.process.returncode

    def programs(self):
        """Returns the ids of the programs that work for this driver: {id: its parent's id}."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = int((entry / "stat").read_text().split(") ")[1].split()[1])
            except (OSError, IndexError):
                continue
            if b"--die-with-parent" in words and str(self.output).encode() in b" ".join(words):
                found[int(entry.name)] = parent
        return found

    def wait_for_program(self):
        """Waits until a program writes a video. Returns its id and that of its worker."""
        end = time.time() + 200
        while time.time() < end:
            running = self.programs()
            if running and any(".tmp-" in file.name for file in pathlib.Path(self.output).rglob("*")):
                return next(iter(running.items()))
            time.sleep(0.05)
        raise AssertionError("no program has begun")

    def events(self):
        return [json.loads(line) for line in (pathlib.Path(self.output) / "events.jsonl").read_text().splitlines()]


def expect_none_runs(driver):
    """Expects that no program of the driver is left."""
    end = time.time() + 20
    while driver.programs() and time.time() < end:
        time.sleep(0.1)
    assert not driver.programs()
