"""Tests facepipe-ray with long videos in parts, with the real Ray and the real program. Each test ends with what
facepipe makes on one machine, or with the right exit code and no video. ./dev test --cluster runs them."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from driver import Driver, SOURCE, expect_none_runs

pytest.importorskip("ray", reason="./dev test --cluster installs Ray")

PROGRAM = os.environ.get("FACEPIPE_PROGRAM") or str(SOURCE / "build" / "facepipe")
PHOTO = SOURCE / "data" / "fetched" / "demo" / "city.jpg"
#: The encoder and the network give the same bytes in each run.
MAKING = ["--detect-size", "128x96", "--codec", "mjpeg", "--device", "cpu", "-q"]
DEALING = ["--pause", "0.2", "--part-size", "0.1", "--detections"]
#: How often a worker or a program is killed.
KILLS = int(os.environ.get("FACEPIPE_KILLS", "100"))


def make_clip(file, seconds, scene, rate):
    """Makes a clip that can be cut before each 48th frame. A scene has `scene` frames."""
    number = f"floor(n/{scene})"
    subprocess.run(["ffmpeg", "-v", "error", "-loop", "1", "-r", str(rate), "-i", PHOTO, "-t", str(seconds), "-vf",
                    f"crop=320:192:mod({number}*170\\,480)+mod(n\\,{scene})/4:mod({number}*90\\,300),"
                    f"eq=eval=frame:brightness=0.3*mod({number}\\,2),format=yuv420p", "-c:v", "libx264", "-preset",
                    "veryfast", "-x264-params", "keyint=48:min-keyint=48:scenecut=0", file], check=True)


@pytest.fixture(scope="session")
def clips(tmp_path_factory):
    """Returns a folder with a clip of many scenes, and one of a single scene of more than a minute."""
    folder = tmp_path_factory.mktemp("long")
    make_clip(folder / "scenes.mp4", 24, 40, 25)
    make_clip(folder / "one.mp4", 120, 1000, 5)
    for file in folder.iterdir():
        assert file.stat().st_size > 300_000, "each is cut into parts"
    return folder


@pytest.fixture(scope="session")
def whole(clips, tmp_path_factory):
    """Returns what facepipe hide makes of the clips."""
    folder = tmp_path_factory.mktemp("whole")
    for clip in clips.iterdir():
        subprocess.run([PROGRAM, "hide", clip, "-o", f"{folder}/", "--detections", folder / f"{clip.name}.jsonl", *MAKING],
                       check=True)
    return folder


def pictures(video):
    return subprocess.check_output(["ffmpeg", "-v", "error", "-i", video, "-map", "0:v", "-f", "framemd5", "-"])


def without_file(lines):
    return [{name: value for name, value in json.loads(line).items() if name != "file"}
            for line in lines.read_text().splitlines()]


def expect_whole(output, whole, clips):
    """Expects the same pictures and detections as in a run as a whole, and no other files."""
    for clip in clips.iterdir():
        hidden = f"{clip.stem}_hidden.mp4"
        assert pictures(output / hidden) == pictures(whole / hidden)
        assert without_file(output / f"{clip.name}.jsonl") == without_file(whole / f"{clip.name}.jsonl")
    assert not [file for file in output.rglob("*") if ".tmp-" in file.name or ".partial" in file.name]
    assert not list(output.rglob("part-*")), "the part files are removed"


def hide(output, address, clips, *more, **variables):
    return Driver(output, address, "hide", clips, *MAKING, *DEALING, *more, **variables)


def test_parts_make_what_hide_makes(cluster, clips, whole, tmp_path):
    driver = hide(tmp_path, cluster.address, clips)
    assert driver.wait() == 0, driver.told
    expect_whole(tmp_path, whole, clips)
    tasks = {event["task"] for event in driver.events()}
    for clip in ("one", "scenes"):
        assert f"{clip}.mp4.part-2" in tasks and f"{clip}.mp4.split" in tasks and f"{clip}.mp4" in tasks
    expect_none_runs(driver)


def test_a_machine_vanishes(cluster, clips, whole, tmp_path):
    driver = hide(tmp_path, cluster.address, clips)
    driver.wait_for_program()
    cluster.remove_node(cluster.workers[0], allow_graceful=False)
    assert driver.wait() == 0, driver.told
    expect_whole(tmp_path, whole, clips)


def test_the_driver_is_killed_and_started_again(cluster, clips, whole, tmp_path):
    first = hide(tmp_path, cluster.address, clips)
    first.wait_for_program()
    first.process.kill()
    first.wait()
    expect_none_runs(first)
    second = hide(tmp_path, cluster.address, clips)
    assert second.wait() == 0, second.told
    expect_whole(tmp_path, whole, clips)
    third = hide(tmp_path, cluster.address, clips)
    assert third.wait() == 0, third.told
    assert not [event for event in third.events()[-2:] if ".part" in event["task"]], "nothing is made again"


def test_two_drivers_work_on_one_folder(cluster, clips, whole, tmp_path):
    both = [hide(tmp_path, cluster.address, clips, "--attempts", "20") for _ in range(2)]
    for driver in both:
        assert driver.wait() == 0, driver.told
    expect_whole(tmp_path, whole, clips)


def test_random_workers_are_killed_often(cluster, clips, whole, tmp_path):
    chance = random.Random(44)
    kills, rounds = 0, 0
    while kills < KILLS:
        rounds += 1
        output = tmp_path / str(rounds)
        driver = hide(output, cluster.address, clips, "--attempts", "1000")
        while driver.process.poll() is None and kills < KILLS:
            time.sleep(chance.uniform(0.1, 2.5))
            running = list(driver.programs().items())
            if not running:
                continue
            program, worker = chance.choice(running)
            try:
                os.kill(chance.choice([program, worker]), signal.SIGKILL)
                kills += 1
            except ProcessLookupError:
                pass
        assert driver.wait() == 0, driver.told
        expect_whole(output, whole, clips)
        expect_none_runs(driver)
        shutil.rmtree(output)


def test_a_part_that_always_fails_fails_its_video(clips, tmp_path):
    program = tmp_path / "facepipe"
    program.write_text(f'#!/bin/bash\n[[ $1 == part && $3 == 2 && $2 == *one* ]] && echo "bad part" >&2 && exit 3\n'
                       f'exec "{PROGRAM}" "$@"\n')
    program.chmod(0o755)
    output = tmp_path / "out"
    driver = hide(output, "", clips, FACEPIPE_PROGRAM=str(program))
    assert driver.wait() == 3
    assert "failed: one.mp4.part-2: exit 3, attempt 1: bad part" in driver.told
    assert (output / "scenes_hidden.mp4").exists() and not (output / "one_hidden.mp4").exists()
    entries = {entry["file"].rsplit("/", 1)[-1]: entry["exit_code"]
               for entry in json.loads((output / "report.json").read_text())}
    assert entries == {"one.mp4": 3, "scenes.mp4": 0}
    mended = hide(output, "", clips)
    assert mended.wait() == 0, mended.told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_leaves_nothing(clips, whole, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])
    if mounted.returncode != 0:
        pytest.skip("no disk can be mounted here")
    try:
        driver = hide(disk / "out", "", clips, "--attempts", "2")
        assert driver.wait() == 75, driver.told
        assert "No space left on device" in driver.told
        assert not list((disk / "out").glob("*_hidden*"))
        assert not [file for file in disk.rglob("*") if ".tmp-" in file.name or ".partial" in file.name]
        subprocess.run(["mount", "-o", "remount,size=1g", disk], check=True)
        again = hide(disk / "out", "", clips)
        assert again.wait() == 0, again.told
        expect_whole(disk / "out", whole, clips)
    finally:
        subprocess.run(["umount", "--lazy", disk])


def test_an_input_that_changes_midway_is_refused(cluster, tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    make_clip(source / "clip.mp4", 120, 1000, 5)
    make_clip(tmp_path / "other.mp4", 120, 700, 5)
    driver = hide(tmp_path / "out", cluster.address, source)
    driver.wait_for_program()
    os.replace(tmp_path / "other.mp4", source / "clip.mp4")
    assert driver.wait() == 3, driver.told
    # A program that works already sees other packets. For one in its sandbox, the new file does not exist.
    assert any(why in driver.told for why in ("is not the input that was split", "Permission denied")), driver.told
    assert not list((tmp_path / "out").glob("*_hidden*"))
    again = hide(tmp_path / "out", cluster.address, source)
    assert again.wait() == 0, again.told


def test_sigterm_ends_all(cluster, clips, whole, tmp_path):
    driver = hide(tmp_path, cluster.address, clips)
    driver.wait_for_program()
    driver.process.send_signal(signal.SIGTERM)
    assert driver.wait() != 0
    expect_none_runs(driver)
    again = hide(tmp_path, cluster.address, clips)
    assert again.wait() == 0, again.told
    expect_whole(tmp_path, whole, clips)
