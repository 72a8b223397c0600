"""Checks the manifests of cluster/ by the schemas of those who read them: kubernetes-validate has Kubernetes' schemas, and
botocore has those of AWS Batch. Also checks that facepipe takes the commands in them. ./dev test --cluster runs these
tests."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

CLUSTER = pathlib.Path(__file__).resolve().parents[2] / "cluster"
PROGRAM = os.environ.get("FACEPIPE_PROGRAM") or str(CLUSTER.parent / "build" / "facepipe")
#: Exit codes that another attempt may change (docs/cluster.md), and those that no attempt changes.
PASSING, FINAL = (75, 143, 137, 139, 136, 135, 134, 132), (2, 3, 5)

kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="./dev test --cluster installs it")
botocore = pytest.importorskip("botocore.session", reason="./dev test --cluster installs it")
yaml = pytest.importorskip("yaml")


def manifest(name):
    return yaml.safe_load((CLUSTER / "kubernetes" / name).read_text())


def container_of(job):
    return job["spec"]["template"]["spec"]["containers"][0]


@pytest.mark.parametrize("name", ["parts.yaml", "join.yaml"])
@pytest.mark.parametrize("version", ["1.33", "1.37"])
def test_kubernetes_knows_all_fields(name, version):
    kubernetes_validate.validate(manifest(name), version, strict=True)


def test_the_check_of_kubernetes_notices_mistakes():
    job = manifest("parts.yaml")
    job["spec"]["completion"] = job["spec"].pop("completions")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, "1.33", strict=True)


@pytest.mark.parametrize("name, action", [("parts.yaml", "FailIndex"), ("join.yaml", "FailJob")])
def test_kubernetes_gives_up_only_what_no_attempt_changes(name, action):
    rules = manifest(name)["spec"]["podFailurePolicy"]["rules"]
    given_up = [code for rule in rules if rule["action"] == action for code in rule["onExitCodes"]["values"]]
    assert set(FINAL) <= set(given_up) and not set(PASSING) & set(given_up)
    assert [rule["onExitCodes"]["containerName"] for rule in rules if "onExitCodes" in rule] == ["facepipe"]


def parameters_of(operation):
    """Returns a function that gives the mistakes in the parameters of an operation of AWS Batch."""
    from botocore.validate import ParamValidator
    model = botocore.get_session().get_service_model("batch").operation_model(operation)
    return lambda given: ParamValidator().validate(given, model.input_shape).generate_report()


def definition():
    return json.loads((CLUSTER / "batch" / "job-definition.json").read_text())


def test_batch_knows_all_members():
    mistakes = parameters_of("RegisterJobDefinition")
    assert mistakes(definition()) == ""
    assert "onExitcode" in mistakes({**definition(), "retryStrategy": {"evaluateOnExit": [{"onExitcode": "1"}]}})


def test_batch_tries_again_what_may_pass():
    rules = definition()["retryStrategy"]["evaluateOnExit"]
    assert len(rules) <= 5, "AWS Batch allows no more"
    # AWS Batch takes the first rule that fits; a pattern may end with an asterisk.
    codes = [(rule["onExitCode"], rule["action"]) for rule in rules if "onExitCode" in rule]
    assert codes[-1] == ("*", "EXIT"), "without it, AWS Batch tries again all other codes"

    def action(code):
        return next(action for pattern, action in codes
                    if (str(code).startswith(pattern[:-1]) if pattern.endswith("*") else str(code) == pattern))

    assert {action(code) for code in PASSING} == {"RETRY"}
    assert {action(code) for code in (0, *FINAL, 6, 7)} == {"EXIT"}


def test_batch_knows_what_submit_parts_asks(tmp_path, monkeypatch):
    path = CLUSTER / "batch" / "submit-parts"
    loader = importlib.machinery.SourceFileLoader("submit_parts", str(path))
    script = importlib.util.module_from_spec(importlib.util.spec_from_loader("submit_parts", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(script)
    requests = []
    monkeypatch.setattr(script, "submitted", lambda request: requests.append(request) or "id")
    for parts in (1, 2):
        (tmp_path / "plan.json").write_text(json.dumps({"parts": [{"packets": 9}] * parts}))
        assert script.main(["queue", str(tmp_path / "plan.json"), "/shared/parts", "/shared/x.mp4"]) == 0
    assert [parameters_of("SubmitJob")(request) for request in requests] == [""] * 4


def commands():
    yield "part of Kubernetes", container_of(manifest("parts.yaml"))["args"], {"JOB_COMPLETION_INDEX": "1"}
    yield "join of Kubernetes", container_of(manifest("join.yaml"))["args"], {}
    parameters = definition()["parameters"]
    words = [parameters.get(word.removeprefix("Ref::"), word) if word.startswith("Ref::") else word
             for word in definition()["containerProperties"]["command"]]
    yield "part of Batch", words, {"AWS_BATCH_JOB_ARRAY_INDEX": "1"}


def test_the_program_carries_out_the_commands(tmp_path):
    clip, shared = tmp_path / "clip.mp4", tmp_path / "shared"
    shared.mkdir()
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=4", "-c:v", "libx264",
                    "-preset", "ultrafast", "-x264-params", "keyint=25:min-keyint=25", clip], check=True)
    subprocess.run([PROGRAM, "split", "run", clip, "--parts", "2", "-o", shared / "plan.json", "--device", "cpu",
                    "--detect-size", "128x96", "-q"], check=True)
    subprocess.run([PROGRAM, "part", shared / "plan.json", "1", "--out", shared / "parts", "-q"], check=True)
    for name, words, variables in sorted(commands(), reverse=True):
        words = [word.replace("/shared", str(shared)) for word in words]
        result = subprocess.run([PROGRAM, *words], env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 0, (name, result.stderr)
        if name == "part of Kubernetes":
            made = sorted(file.name for file in (shared / "parts").iterdir() if file.name.startswith("part-"))
            assert len(made) == 2, made
    assert (shared / "joined.mp4").exists()
