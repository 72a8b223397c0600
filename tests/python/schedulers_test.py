"""Tests the scripts for AWS Batch and GNU parallel with programs that only note what they were asked. tests/cluster/
uses the real GNU parallel, and checks what the scripts send to AWS Batch."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

CLUSTER = pathlib.Path(__file__).resolve().parents[2] / "cluster"
PLAN = '{\n  "parts": [\n    {\n      "packets": 9\n    },\n    {\n      "packets": 9\n    }\n  ]\n}\n'


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Returns a function that makes a program of this name in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    for name in list(os.environ):
        if name.startswith("FACEPIPE_"):
            monkeypatch.delenv(name)

    def make(name, script):
        (folder / name).write_text(f"#!/bin/bash\n{script}\n")
        (folder / name).chmod(0o755)

    return make


def run(script, *words, **variables):
    # A Python that the script finds itself may put other programs before those of the test.
    interpreter = [sys.executable] if script.startswith("batch/") else []
    return subprocess.run([*interpreter, CLUSTER / script, *map(str, words)], env={**os.environ, **variables}, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


@pytest.fixture
def submitted(programs, tmp_path):
    """Returns a function that submits the parts of a plan, and gives the result and the requests."""
    noted = tmp_path / "noted"
    programs("aws", f'echo "${{@: -1}}" >> {noted}\necho "{{\\"jobId\\": \\"id-$(wc -l < {noted})\\"}}"')

    def submit(plan, *words, **variables):
        result = run("batch/submit-parts", "queue", plan, "/shared/parts", "/shared/x.mp4", *words, **variables)
        return result, [json.loads(line) for line in noted.read_text().splitlines()] if noted.exists() else []

    return submit


def test_batch_makes_parts_before_it_joins_them(submitted, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(PLAN)
    result, (parts, join) = submitted(plan, "--detections", "/shared/d.jsonl", FACEPIPE_JOB_DEFINITION="mine:3")
    assert (result.returncode, result.stdout) == (0, "id-2\n"), result.stderr
    assert parts["arrayProperties"] == {"size": 2}
    assert parts["parameters"] == {"plan": str(plan), "folder": "/shared/parts"}
    assert join["dependsOn"] == [{"jobId": "id-1"}]
    assert join["containerOverrides"]["command"] == [
        "join", str(plan), "--from", "/shared/parts", "--output", "/shared/x.mp4", "--task", "--skip-existing", "--quiet",
        "--detections", "/shared/d.jsonl"]
    assert {request["jobDefinition"] for request in (parts, join)} == {"mine:3"}


def test_one_part_is_no_array_of_batch(submitted, tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text('{"parts": [{"packets": 9}]}')
    _, (part, _) = submitted(plan)
    assert "arrayProperties" not in part
    assert part["containerOverrides"]["command"][:3] == ["part", str(plan), "1"]


def test_what_batch_refuses_is_told(programs, tmp_path):
    programs("aws", "echo 'queue: not found' >&2; exit 254")
    (tmp_path / "plan.json").write_text(PLAN)
    result = run("batch/submit-parts", "queue", tmp_path / "plan.json", "/shared/parts", "/shared/x.mp4")
    assert result.returncode == 1
    assert result.stderr == "queue: not found\nsubmit-parts: error: aws batch submit-job: exit 254\n"


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON"])
def test_batch_refuses_what_is_no_plan(submitted, tmp_path, text):
    (tmp_path / "plan.json").write_text(text)
    result, requests = submitted(tmp_path / "plan.json")
    assert (result.returncode, requests) == (3, [])
    assert "is no plan of parts" in result.stderr
    assert run("batch/submit-parts", "queue", "plan.json").returncode == 2


@pytest.mark.parametrize("codes, left", [
    ("75 75 0", 0), ("75 75 75 75 75 0", 75), ("137 0", 0), ("4 0", 0), ("4 4 0", 4), ("1 0", 0), ("0 75", 0), ("2 0", 2),
    ("3 0", 3), ("5 0", 5), ("6 0", 6), ("143 0", 143), ("130 0", 130)])
def test_a_task_is_repeated_if_that_may_help(programs, tmp_path, codes, left):
    (tmp_path / "codes").write_text(codes)
    programs("facepipe", f'read -r code rest < {tmp_path}/codes\necho "$rest" > {tmp_path}/codes\n'
                         f'echo "$FACEPIPE_ATTEMPT $*" >> {tmp_path}/attempts\nexit "$code"')
    assert run("parallel/task.sh", "facepipe", "hide", "a b.mp4", FACEPIPE_PAUSE="0").returncode == left
    attempts = (tmp_path / "attempts").read_text().splitlines()
    assert attempts == [f"{number + 1} hide a b.mp4" for number in range(len(attempts))]


def test_the_number_of_repetitions_is_limited(programs):
    programs("facepipe", "echo attempt; exit 75")
    result = run("parallel/task.sh", "facepipe", FACEPIPE_PAUSE="0", FACEPIPE_RESTARTS="2")
    assert (result.returncode, result.stdout) == (75, "attempt\n" * 3)


def test_parallel_refuses_what_is_no_plan(programs, tmp_path):
    programs("parallel", "echo called")
    (tmp_path / "plan.json").write_text("{}")
    result = run("parallel/make-parts", tmp_path / "plan.json", tmp_path / "parts", tmp_path / "x.mp4")
    assert (result.returncode, result.stdout) == (3, "")
    assert "is no plan of parts" in result.stderr
    assert run("parallel/make-parts", tmp_path / "plan.json").returncode == 2


def test_parts_that_fail_are_not_joined(programs, tmp_path):
    programs("parallel", "cat > /dev/null; exit 2")  # GNU parallel ends with the number of failed jobs
    programs("facepipe", "echo facepipe")
    (tmp_path / "plan.json").write_text(PLAN)
    result = run("parallel/make-parts", tmp_path / "plan.json", tmp_path / "parts", tmp_path / "x.mp4")
    assert (result.returncode, result.stdout) == (1, "")
    assert f"{tmp_path}/parts/joblog has their exit codes" in result.stderr
