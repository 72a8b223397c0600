"""Tests the scripts for Slurm with the real Slurm, on this machine alone, and the real program. ./dev test --cluster
runs these tests if Slurm is installed here: Debian's packages are slurm-wlm and munge."""
import os
import pathlib
import subprocess

import pytest

from one_slurm import INSTALLED, one_slurm, told, wait_for_jobs

if not INSTALLED:
    pytest.skip("Slurm isn't installed here", allow_module_level=True)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE / "cluster" / "slurm"
PROGRAM = os.environ.get("FACEPIPE_PROGRAM") or str(SOURCE / "build" / "facepipe")
PHOTO = SOURCE / "data" / "fetched" / "demo" / "city.jpg"
OPTIONS = ["--detect-size", "128x96", "--codec", "mjpeg", "--format", "matroska", "--device", "cpu", "--threads", "1"]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Returns the variables with which commands find a Slurm."""
    with one_slurm(tmp_path_factory.mktemp("slurm")) as variables:
        yield variables


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def logs_in(folder):
    return {file.name: file.read_text() for file in folder.glob("*.log")}


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A clip of three scenes, which can be cut before each 48th frame."""
    made = tmp_path_factory.mktemp("clip") / "clip.mp4"
    scene = "floor(n/80)"
    run("ffmpeg", "-v", "error", "-loop", "1", "-r", "25", "-i", PHOTO, "-t", "9.6", "-vf",
        f"crop=320:192:{scene}*170:{scene}*90,eq=eval=frame:brightness=0.3*mod({scene}\\,2),format=yuv420p", "-c:v",
        "libx264", "-preset", "veryfast", "-x264-params", "keyint=48:min-keyint=48:scenecut=0", made)
    return made


@pytest.mark.parametrize("command", ["run", "hide"])
def test_an_array_makes_what_one_machine_makes(slurm, clip, tmp_path, command):
    run(PROGRAM, command, clip, "-o", tmp_path / "whole.mkv", "-q", *OPTIONS)
    run(PROGRAM, "split", command, clip, "--parts", "3", "-o", tmp_path / "plan.json", "-q", *OPTIONS)
    variables = {**slurm, "FACEPIPE_PROGRAM": PROGRAM}
    told(variables, SCRIPTS / "submit-parts", tmp_path / "plan.json", tmp_path / "parts", tmp_path / "joined.mkv")
    wait_for_jobs(slurm, tmp_path)
    assert (tmp_path / "joined.mkv").exists(), logs_in(tmp_path / "parts")

    def pictures(file):
        return subprocess.check_output(["ffmpeg", "-v", "error", "-i", file, "-f", "framemd5", "-"])

    assert pictures(tmp_path / "joined.mkv") == pictures(tmp_path / "whole.mkv")


def fake_program(folder, *lines):
    program = folder / "facepipe"
    tells = 'echo "$1 ${SLURM_ARRAY_TASK_ID:-} ${SLURM_RESTART_COUNT:-0}"'
    program.write_text("\n".join(["#!/bin/bash", tells, *lines]))
    program.chmod(0o755)
    return str(program)


def test_a_part_that_may_pass_is_tried_again_alone(slurm, clip, tmp_path):
    run(PROGRAM, "split", "run", clip, "--parts", "2", "-o", tmp_path / "plan.json", "-q", *OPTIONS)
    program = fake_program(tmp_path, '[[ ${SLURM_ARRAY_TASK_ID:-} == 2 && ${SLURM_RESTART_COUNT:-0} == 0 ]] && exit 75',
                           "exit 0")
    told({**slurm, "FACEPIPE_PROGRAM": program}, SCRIPTS / "submit-parts", tmp_path / "plan.json", tmp_path / "parts",
         tmp_path / "joined.mkv")
    wait_for_jobs(slurm, tmp_path)
    told_by_all = "".join(logs_in(tmp_path / "parts").values())
    lines = [line for line in told_by_all.splitlines() if line.startswith(("part ", "join "))]
    assert sorted(lines) == ["join  0", "part 1 0", "part 2 0", "part 2 1"]


def test_a_part_that_fails_for_good_is_not_joined(slurm, clip, tmp_path):
    run(PROGRAM, "split", "run", clip, "--parts", "2", "-o", tmp_path / "plan.json", "-q", *OPTIONS)
    program = fake_program(tmp_path, '[[ ${SLURM_ARRAY_TASK_ID:-} == 1 ]] && exit 3', "exit 0")
    told({**slurm, "FACEPIPE_PROGRAM": program}, SCRIPTS / "submit-parts", tmp_path / "plan.json", tmp_path / "parts",
         tmp_path / "joined.mkv")
    wait_for_jobs(slurm, tmp_path)
    assert "join" not in "".join(logs_in(tmp_path / "parts").values())
