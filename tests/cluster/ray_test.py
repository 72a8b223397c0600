"""Tests facepipe-ray with the real Ray and the real program: machines that vanish, workers and drivers that are killed.
Each test ends with what an undisturbed run makes. ./dev test --cluster runs them; they take some minutes."""
import json
import os
import signal
import subprocess

import pytest

from driver import Driver, expect_none_runs

pytest.importorskip("ray", reason="./dev test --cluster installs Ray")

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
    driver = Driver(output, "", "run", clips, *OPTIONS)
    assert driver.wait() == 0
    return output


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


@pytest.mark.parametrize("kind", ["worker", "program", "program with SIGTERM"])
def test_what_is_killed_is_done_again(cluster, clips, undisturbed, tmp_path, kind):
    driver = Driver(tmp_path, cluster.address, "run", clips, *OPTIONS)
    program, worker = driver.wait_for_program()
    os.kill(worker if kind == "worker" else program, signal.SIGTERM if "SIGTERM" in kind else signal.SIGKILL)
    assert driver.wait() == 0, driver.told
    expect_same(tmp_path, undisturbed)
    expect_none_runs(driver)
    lost = [event["code"] for event in driver.events() if event["code"] != 0]
    assert lost == [{"worker": 75, "program": -9, "program with SIGTERM": 143}[kind]]


def test_a_machine_vanishes(cluster, clips, undisturbed, tmp_path):
    driver = Driver(tmp_path, cluster.address, "run", clips, *OPTIONS)
    driver.wait_for_program()
    cluster.remove_node(cluster.workers[0], allow_graceful=False)
    assert driver.wait() == 0, driver.told
    expect_same(tmp_path, undisturbed)


def test_the_driver_is_killed_and_started_again(cluster, clips, undisturbed, tmp_path):
    first = Driver(tmp_path, cluster.address, "run", clips, *OPTIONS)
    first.wait_for_program()
    first.process.kill()
    first.wait()
    expect_none_runs(first)
    second = Driver(tmp_path, cluster.address, "run", clips, *OPTIONS)
    assert second.wait() == 0, second.told
    expect_same(tmp_path, undisturbed)


def test_a_bad_input_is_told_and_the_others_go_on(cluster, clips, tmp_path):
    bad = tmp_path / "bad.mp4"
    bad.write_text("no video")
    output = tmp_path / "out"
    driver = Driver(output, cluster.address, "run", clips, bad, *OPTIONS)
    assert driver.wait() == 3
    assert "facepipe-ray: failed: bad.mp4: exit 3, attempt 1: " in driver.told
    assert len(list(output.glob("c*_faces.mp4"))) == CLIPS
