"""Tests the scripts for Slurm with commands of Slurm that only note what they were asked. tests/cluster/slurm_test.py
uses the real Slurm."""
import os
import pathlib
import subprocess

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "cluster" / "slurm"
PLAN = '{\n  "parts": [\n    {\n      "packets": 9,\n      "next": {\n        "packets": 3\n      }\n    },\n' \
       '    {\n      "packets": 9\n    }\n  ]\n}\n'


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Returns a function that runs a script, and gives its result and the commands of Slurm that it has called."""
    commands = tmp_path / "bin"
    commands.mkdir()
    noted = tmp_path / "noted"
    for name, then in (("scontrol", "exit 1"), ("sbatch", "echo 42")):
        (commands / name).write_text(f'#!/bin/bash\necho {name} "$@" >> {noted}\n{then}\n')
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    for name in list(os.environ):
        if name.startswith(("SLURM_", "FACEPIPE_")):
            monkeypatch.delenv(name)

    def run(script, *words, **variables):
        result = subprocess.run([SCRIPTS / script, *map(str, words)], env={**os.environ, **variables},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return result, noted.read_text().splitlines() if noted.exists() else []

    return run


@pytest.mark.parametrize("code, restarts, again", [
    (75, 0, True), (75, 3, True), (75, 4, False), (137, 0, True), (139, 1, True), (4, 0, True), (4, 1, False),
    (1, 0, True), (0, 0, False), (2, 0, False), (3, 0, False), (5, 0, False), (6, 0, False), (143, 0, False)])
def test_what_may_pass_is_tried_again(slurm, code, restarts, again):
    result, called = slurm("task.sh", "bash", "-c", f"exit {code}", SLURM_JOB_ID="7", SLURM_RESTART_COUNT=str(restarts))
    assert called == (["scontrol requeue 7"] if again else [])
    assert result.returncode == code


def test_only_one_task_of_an_array_is_tried_again(slurm):
    _, called = slurm("task.sh", "bash", "-c", "exit 75", SLURM_JOB_ID="7", SLURM_ARRAY_JOB_ID="7",
                      SLURM_ARRAY_TASK_ID="3")
    assert called == ["scontrol requeue 7_3"]


def test_restarts_are_limited_by_the_user(slurm):
    _, called = slurm("task.sh", "bash", "-c", "exit 75", SLURM_JOB_ID="7", FACEPIPE_RESTARTS="0")
    assert called == []


def test_damaged_parts_are_joined(slurm, tmp_path):
    program = tmp_path / "facepipe"
    program.write_text("#!/bin/bash\nexit 6\n")
    program.chmod(0o755)
    assert slurm("task.sh", program, "part", "plan.json", "auto")[0].returncode == 0
    assert slurm("task.sh", program, "join", "plan.json")[0].returncode == 6


def test_an_array_goes_over_the_lines_of_a_file(slurm, tmp_path):
    (tmp_path / "videos.txt").write_text("a.mp4\nb with blanks & more.mp4\n")
    words = ["--line", tmp_path / "videos.txt", "printf", "%s|", "hide", "{}", "-o", "out/"]
    assert slurm("task.sh", *words, SLURM_ARRAY_TASK_ID="2")[0].stdout == "hide|b with blanks & more.mp4|-o|out/|"
    result, _ = slurm("task.sh", *words, SLURM_ARRAY_TASK_ID="3")
    assert result.returncode == 2
    assert "has no line 3" in result.stderr


def test_parts_are_submitted_before_the_job_that_joins(slurm, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(PLAN)
    result, called = slurm("submit-parts", plan, tmp_path / "parts", tmp_path / "x.mp4", "--detections", "d.jsonl",
                           FACEPIPE_SBATCH="--partition=gpu --gres=gpu:1")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "42\n"
    array, join = called
    assert "--array=1-2 " in array and "--partition=gpu --gres=gpu:1" in array
    assert array.endswith(f"task.sh facepipe part {plan} auto --out {tmp_path}/parts --quiet")
    assert "--dependency=afterok:42 --kill-on-invalid-dep=yes" in join and "--gres=gpu:1" in join
    assert join.endswith(f"facepipe join {plan} --from {tmp_path}/parts -o {tmp_path}/x.mp4 --task --skip-existing "
                         "--quiet --detections d.jsonl")
    assert (tmp_path / "parts").is_dir()


def test_what_is_no_plan_is_refused(slurm, tmp_path):
    (tmp_path / "plan.json").write_text("{}")
    result, called = slurm("submit-parts", tmp_path / "plan.json", tmp_path / "parts", tmp_path / "x.mp4")
    assert (result.returncode, called) == (3, [])
    assert "is no plan of parts" in result.stderr
    assert slurm("submit-parts", tmp_path / "plan.json")[0].returncode == 2
