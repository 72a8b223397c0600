"""Makes a video in parts with the real GNU parallel and the real program. ./dev test --cluster runs this test if GNU
parallel is installed here: Debian's package is parallel."""
import os
import pathlib
import shutil
import subprocess

import pytest

if not shutil.which("parallel"):
    pytest.skip("GNU parallel isn't installed here", allow_module_level=True)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FACEPIPE_PROGRAM") or str(SOURCE / "build" / "facepipe")
OPTIONS = ["--detect-size", "128x96", "--codec", "mjpeg", "--format", "matroska", "--device", "cpu", "-q"]


@pytest.fixture
def clip(tmp_path):
    made = tmp_path / "a clip.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=8", "-c:v", "libx264",
                    "-preset", "ultrafast", "-x264-params", "keyint=25:min-keyint=25", made], check=True)
    return made


def make_parts(plan, tmp_path, program=PROGRAM):
    variables = {**os.environ, "FACEPIPE_PROGRAM": str(program), "FACEPIPE_PAUSE": "0", "FACEPIPE_PARALLEL": "--jobs 2"}
    return subprocess.run([SOURCE / "cluster" / "parallel" / "make-parts", plan, tmp_path / "the parts",
                           tmp_path / "joined.mkv"], env=variables, stderr=subprocess.PIPE, text=True)


def test_parallel_makes_what_one_run_makes(clip, tmp_path):
    subprocess.run([PROGRAM, "run", clip, "-o", tmp_path / "parts.mkv", "--parts", "4", *OPTIONS], check=True)
    subprocess.run([PROGRAM, "split", "run", clip, "--parts", "4", "-o", tmp_path / "plan.json", *OPTIONS], check=True)
    result = make_parts(tmp_path / "plan.json", tmp_path)
    assert result.returncode == 0, result.stderr

    def pictures(file):
        return subprocess.check_output(["ffmpeg", "-v", "error", "-i", file, "-f", "framemd5", "-"])

    assert pictures(tmp_path / "joined.mkv") == pictures(tmp_path / "parts.mkv")


def test_parallel_makes_the_other_parts_if_one_fails(clip, tmp_path):
    subprocess.run([PROGRAM, "split", "run", clip, "--parts", "3", "-o", tmp_path / "plan.json", *OPTIONS], check=True)
    program = tmp_path / "facepipe"
    program.write_text(f'#!/bin/bash\n[[ $1 == part && $3 == 2 && ! -e "{tmp_path}/mended" ]] && exit 3\n'
                       f'exec "{PROGRAM}" "$@"\n')
    program.chmod(0o755)
    result = make_parts(tmp_path / "plan.json", tmp_path, program)
    assert result.returncode == 1
    assert "joblog has their exit codes" in result.stderr
    log = [line.split("\t") for line in (tmp_path / "the parts" / "joblog").read_text().splitlines()[1:]]
    assert sorted((line[0], line[6]) for line in log) == [("1", "0"), ("2", "3"), ("3", "0")]
    assert not (tmp_path / "joined.mkv").exists()
    (tmp_path / "mended").touch()
    result = make_parts(tmp_path / "plan.json", tmp_path, program)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "joined.mkv").exists()
