"""Tests facepipe-ray with the real Ray and the real program: machines that vanish, workers and drivers that are killed.
Each test ends with what an undisturbed run makes. ./dev test --cluster runs them; they take some minutes."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("ray", reason="./dev test --cluster installs Ray")

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CLIPS = 4
#: The encoder and the network give the same bytes in each run.
OPTIONS = ["--detect-size", "160x96", "--codec", "mjpeg", "--device", "cpu", "--pause", "0.2", "-q"]


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    """Returns a folder with clips of different lengths."""
    folder = tmp_path_factory.mktemp("clips")
    for number in range(CLIPS):
        made = f"testsrc2=s=320x192:r=25:d={2 + 2 * number}"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", made, "-c:v", "libx264", "-preset", "ultrafast",
                        folder / f"c{number}.mp4"], check=True)
    return folder


@pytest.fixture(scope="session")
def undisturbed(clips, tmp_path_factory):
    """Returns the output of a run that nobody disturbs."""
    output = tmp_path_factory.mktemp("undisturbed")
    driver = Driver(clips, output, "")
    assert driver.wait() == 0
    return output


@pytest.fixture
def cluster():
    """Returns a cluster of three machines that are simulated on this one. Its head has no processors."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.workers = [made.add_node(num_cpus=1) for _ in range(2)]
    yield made
    made.shutdown()


class Driver:
    """facepipe-ray as a process."""

    def __init__(self, clips, output, address, *more):
        words = [sys.executable, SOURCE / "python" / "facepipe-ray", "run", clips, "-o", output, *OPTIONS, *more]
        if address:
            words += ["--address", address]
        self.output = output
        self.process = subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE, text=True)

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
            if running and any(".tmp-" in file.name for file in pathlib.Path(self.output).rglob("*_faces*")):
                return next(iter(running.items()))
            time.sleep(0.05)
        raise AssertionError("no program has begun")

    def events(self):
        return [json.loads(line) for line in (pathlib.Path(self.output) / "events.jsonl").read_text().splitlines()]


def expect_same(output, undisturbed):
    """Expects the same videos, and no other files beside them."""
    def videos(folder):
        return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.startswith("c")}

    assert {name: len(content) for name, content in videos(output).items()} == {
        name: len(content) for name, content in videos(undisturbed).items()}
    assert videos(output) == videos(undisturbed)
    assert not [file for file in output.rglob("*") if ".tmp-" in file.name or ".partial" in file.name]
    report = json.loads((output / "report.json").read_text())
    assert [entry["exit_code"] for entry in report] == [0] * CLIPS


def expect_none_runs(driver):
    end = time.time() + 20
    while driver.programs() and time.time() < end:
        time.sleep(0.1)
    assert not driver.programs()


@pytest.mark.parametrize("kind", ["worker", "program", "program with SIGTERM"])
def test_what_is_killed_is_done_again(cluster, clips, undisturbed, tmp_path, kind):
    driver = Driver(clips, tmp_path, cluster.address)
    program, worker = driver.wait_for_program()
    os.kill(worker if kind == "worker" else program, signal.SIGTERM if "SIGTERM" in kind else signal.SIGKILL)
    assert driver.wait() == 0, driver.told
    expect_same(tmp_path, undisturbed)
    expect_none_runs(driver)
    lost = [event["code"] for event in driver.events() if event["code"] != 0]
    assert lost == [{"worker": 75, "program": -9, "program with SIGTERM": 143}[kind]]


def test_a_machine_vanishes(cluster, clips, undisturbed, tmp_path):
    driver = Driver(clips, tmp_path, cluster.address)
    driver.wait_for_program()
    cluster.remove_node(cluster.workers[0], allow_graceful=False)
    assert driver.wait() == 0, driver.told
    expect_same(tmp_path, undisturbed)


def test_the_driver_is_killed_and_started_again(cluster, clips, undisturbed, tmp_path):
    first = Driver(clips, tmp_path, cluster.address)
    first.wait_for_program()
    first.process.kill()
    first.wait()
    expect_none_runs(first)
    second = Driver(clips, tmp_path, cluster.address)
    assert second.wait() == 0, second.told
    expect_same(tmp_path, undisturbed)


def test_a_bad_input_is_told_and_the_others_go_on(cluster, clips, tmp_path):
    bad = tmp_path / "bad.mp4"
    bad.write_text("no video")
    output = tmp_path / "out"
    driver = Driver(clips, output, cluster.address, bad)
    assert driver.wait() == 3
    assert "facepipe-ray: failed: bad.mp4: exit 3, attempt 1: " in driver.told
    assert len(list(output.glob("c*_faces.mp4"))) == CLIPS
