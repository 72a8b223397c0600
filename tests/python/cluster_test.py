"""Tests facepipe-ray with a program and a Ray that do only what these tests need. tests/cluster/ has tests with the real
Ray."""
import contextlib
import json
import pathlib
import sys
import types

import pytest

from facepipe import cluster

PROGRAM = pathlib.Path(__file__).with_name("fake_program.py")


class Lost(Exception):
    """What Ray throws if a worker is lost."""


class FakeRay(types.ModuleType):
    """Does what the driver asks of Ray: each task runs in this process as soon as it is started."""

    exceptions = types.SimpleNamespace(RayError=Lost)
    cloudpickle = types.SimpleNamespace(register_pickle_by_value=lambda module: None)

    def __init__(self) -> None:
        super().__init__("ray")
        self.started: list[str] = []
        self.loses: set[tuple[str, int]] = set()  # attempts whose workers are lost: (name, attempt)

    def init(self, **options) -> None:
        self.options = options

    def shutdown(self) -> None:
        pass

    def cluster_resources(self) -> dict:
        return {"CPU": 2.0}

    def remote(self, **options):
        return lambda thing: FakeActor(thing) if isinstance(thing, type) else FakeTask(thing, self)

    def wait(self, refs, timeout):
        return refs[:1], refs[1:]

    def get(self, ref, timeout=None):
        if isinstance(ref, Lost):
            raise ref
        return ref.value if isinstance(ref, Ref) else ref


class Ref:
    def __init__(self, value) -> None:
        self.value = value


class FakeTask:
    def __init__(self, work, ray) -> None:
        self.work, self.ray = work, ray

    def options(self, **options):
        return self

    def remote(self, name, attempt, *rest):
        self.ray.started.append(name)
        if (name, attempt) in self.ray.loses:
            return Lost("The node died")
        return Ref(self.work(name, attempt, *rest))


class FakeActor:
    def __init__(self, kind) -> None:
        actor = kind()
        self.tell = types.SimpleNamespace(remote=actor.tell)

    def remote(self):
        return self


class FakeBar(contextlib.AbstractContextManager):
    def __init__(self, **options) -> None:
        pass

    def __exit__(self, *error) -> None:
        pass

    def update(self, count) -> None:
        pass

    def set_postfix_str(self, text) -> None:
        pass


@pytest.fixture
def ray(monkeypatch):
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=FakeBar))
    monkeypatch.setenv("FACEPIPE_PROGRAM", str(PROGRAM))
    return ray


@pytest.fixture
def folder(tmp_path):
    """Returns a function that makes a folder with inputs: name="text" makes name.mp4."""
    def make(**texts):
        for name, text in texts.items():
            (tmp_path / "in" / f"{name}.mp4").parent.mkdir(exist_ok=True)
            (tmp_path / "in" / f"{name}.mp4").write_text(text)
        return tmp_path / "in", tmp_path / "out"
    return make


def run(source, output, *more):
    return cluster.main(["run", str(source), "-o", str(output), "-q", "--pause", "0", *map(str, more)])


def events(output):
    return [json.loads(line) for line in (output / "events.jsonl").read_text().splitlines()]


def codes(output, name):
    return [event["code"] for event in events(output) if event["task"] == name]


def test_the_longest_input_is_first(ray, folder):
    source, output = folder(short="0", longest="0" + " " * 99, middle="0" + " " * 9)
    assert run(source, output) == 0
    assert ray.started == ["longest.mp4", "middle.mp4", "short.mp4"]


def test_what_may_pass_is_tried_again(ray, folder):
    source, output = folder(a="75 143 0", b="0")
    assert run(source, output) == 0
    assert codes(output, "a.mp4") == [75, 143, 0]
    assert [event["attempt"] for event in events(output) if event["task"] == "a.mp4"] == [1, 2, 3]
    assert (output / "a_faces.mp4").exists()


def test_the_attempts_are_limited(ray, folder, capsys):
    source, output = folder(a="75", b="0")
    assert run(source, output, "--attempts", 3) == 75
    assert codes(output, "a.mp4") == [75, 75, 75]
    assert capsys.readouterr().err == "facepipe-ray: failed: a.mp4: exit 75, attempt 3: reason 75\n"


@pytest.mark.parametrize("code", [2, 3, 5])
def test_a_failure_for_good_is_not_tried_again(ray, folder, capsys, code):
    source, output = folder(a=f"{code} 0", b="0")
    assert run(source, output) == code
    assert codes(output, "a.mp4") == [code]
    assert f"a.mp4: exit {code}, attempt 1: reason {code}" in capsys.readouterr().err
    assert (output / "b_faces.mp4").exists(), "the other inputs go on"


@pytest.mark.parametrize("code", [1, 4])
def test_a_device_that_fails_has_one_more_attempt(ray, folder, code):
    source, output = folder(a=f"{code}", b=f"{code} 0")
    assert run(source, output) == code
    assert codes(output, "a.mp4") == [code, code]
    assert codes(output, "b.mp4") == [code, 0]


def test_damage_is_told_and_not_tried_again(ray, folder):
    source, output = folder(a="6", b="0")
    assert run(source, output) == 6
    assert codes(output, "a.mp4") == [6]


def test_a_lost_worker_counts_as_an_attempt(ray, folder):
    source, output = folder(a="3 0")
    ray.loses = {("a.mp4", 1)}
    assert run(source, output) == 0
    first, second = events(output)
    assert (first["code"], first["reason"], first["host"]) == (75, "The node died", None)
    assert (second["code"], second["attempt"], second["frames"]) == (0, 2, 100)


def test_a_silent_program_is_killed(ray, folder):
    source, output = folder(a="silent")
    assert run(source, output, "--silence", 0.5, "--attempts", 1) == 75
    assert "told nothing for 0.5 seconds" in events(output)[0]["reason"]


def test_the_reports_are_merged(ray, folder):
    source, output = folder(b="3", a="0", c="6")
    assert run(source, output) == 3
    report = json.loads((output / "report.json").read_text())
    assert [(entry["file"], entry["status"], entry["exit_code"]) for entry in report] == [
        ("a.mp4", "done", 0), ("b.mp4", "failed", 3), ("c.mp4", "done", 6)]
    assert report[1]["error"] == "reason 3"


def test_the_same_command_goes_on(ray, folder):
    source, output = folder(a="0", b="3 3")
    assert run(source, output) == 3
    (source / "b.mp4").write_text("0")
    assert run(source, output) == 0
    assert codes(output, "b.mp4") == [3, 0]
    assert json.loads((output / "report.json").read_text())[0]["file"] == "a.mp4"


def test_metrics(ray, folder, tmp_path):
    pytest.importorskip("prometheus_client", reason="no prometheus-client here")
    source, output = folder(a="75 0", b="3")
    assert run(source, output, "--metrics", tmp_path / "m.prom") == 3
    text = (tmp_path / "m.prom").read_text()
    for line in ('facepipe_tasks{state="finished"} 1.0', 'facepipe_tasks{state="failed"} 1.0',
                 'facepipe_attempts_total{exit_code="75"} 1.0', "facepipe_frames 200.0"):
        assert line in text.splitlines()


def test_two_inputs_with_one_output_are_refused(ray, folder):
    source, output = folder(a="0")
    (source / "a.mkv").write_text("0")
    with pytest.raises(SystemExit, match="have the same output"):
        run(source, output)
    assert not output.exists()


def test_earlier_outputs_and_hidden_files_are_no_inputs(ray, folder):
    source, output = folder(a="0", a_faces="0", b_hidden="0")
    for name in (".hidden.mp4", "notes.txt", "a.partial.mp4"):
        (source / name).write_text("0")
    assert run(source, output) == 0
    assert ray.started == ["a.mp4"]


def test_a_signature_is_in_no_file(ray, folder):
    _, output = folder(a="0")
    cluster.main(["run", "https://host/dir/clip.mp4?X-Signature=topsecret", "-o", str(output), "-q"])
    assert ray.started == ["clip.mp4"]
    for file in output.rglob("*"):
        assert "topsecret" not in str(file)
        assert not file.is_file() or "topsecret" not in file.read_text()


def test_options_of_the_program_are_given_to_it(ray, folder):
    words = ["a.mp4", "--detect-size", "320x192", "-q", "b.mp4", "--x=1", "--", "-c.mp4"]
    inputs, options, endings = cluster.told_apart(words)
    assert inputs == ["a.mp4", "b.mp4", "-c.mp4"]
    assert options == ["--detect-size", "320x192", "-q", "--x=1"]
    assert endings == [".mp4", ".mkv"]


def test_a_missing_input_ends_the_program(ray, tmp_path):
    with pytest.raises(SystemExit, match="nothing.mp4: no such file or folder"):
        run(tmp_path / "nothing.mp4", tmp_path / "out")


LONG = " " * 2_500_000  #: at the end of an input's text, makes it 2.5 megabytes long


def test_long_inputs_are_cut_into_parts(ray, folder):
    source, output = folder(long="" + LONG, short="0")
    assert run(source, output, "--part-size", "1") == 0
    assert (output / "long_faces.mp4").read_text() == "1 2 3 "
    assert ray.started[0] == "long.mp4.split"
    assert sorted(ray.started[1:]) == ["long.mp4", "long.mp4.part-1", "long.mp4.part-2", "long.mp4.part-3", "short.mp4"]
    assert ray.started.index("long.mp4") > max(ray.started.index(f"long.mp4.part-{part}") for part in (1, 2, 3))
    assert [entry["file"] for entry in json.loads((output / "report.json").read_text())] == ["long.mp4", "short.mp4"]
    assert not (output / ".facepipe-ray" / "long.mp4.parts").exists(), "the part files are removed"


def test_a_part_that_may_pass_is_tried_again(ray, folder):
    source, output = folder(long="part 2: 75 0" + LONG)
    assert run(source, output, "--part-size", "1") == 0
    assert codes(output, "long.mp4.part-2") == [75, 0]
    assert (output / "long_faces.mp4").read_text() == "1 2 3 "


def test_a_part_that_fails_fails_its_input(ray, folder, capsys):
    source, output = folder(long="part 3: 3" + LONG, short="0")
    assert run(source, output, "--part-size", "1") == 3
    assert "failed: long.mp4.part-3: exit 3" in capsys.readouterr().err
    assert "long.mp4" not in ray.started, "it is not joined"
    entries = {entry["file"]: entry for entry in json.loads((output / "report.json").read_text())}
    assert entries["long.mp4"]["exit_code"] == 3
    assert entries["short.mp4"]["exit_code"] == 0


def test_what_is_joined_is_not_cut_again(ray, folder):
    source, output = folder(long="" + LONG)
    assert run(source, output, "--part-size", "1") == 0
    ray.started.clear()
    assert run(source, output, "--part-size", "1") == 0
    assert ray.started == ["long.mp4"]


def test_a_joined_video_that_was_removed_is_made_again(ray, folder):
    source, output = folder(long="" + LONG)
    assert run(source, output, "--part-size", "1") == 0
    (output / "long_faces.mp4").unlink()
    ray.started.clear()
    assert run(source, output, "--part-size", "1") == 0
    assert ray.started[0] == "long.mp4.split"
    assert (output / "long_faces.mp4").read_text() == "1 2 3 "


def test_files_that_cannot_be_written_are_told_in_one_line(ray, folder, capsys):
    source, output = folder(a="0")
    (output / "events.jsonl").mkdir(parents=True)
    assert run(source, output) == 75
    assert capsys.readouterr().err == f"facepipe-ray: error: [Errno 21] Is a directory: '{output}/events.jsonl'\n"


def test_hide_works_in_parts(ray, folder):
    source, output = folder(long="" + LONG)
    assert cluster.main(["hide", str(source), "-o", str(output), "-q", "--part-size", "1", "--style=solid"]) == 0
    assert (output / "long_hidden.mp4").read_text() == "1 2 3 "


def test_many_tasks_are_not_gone_over_for_each_that_ends(ray, folder, monkeypatch):
    shown = []

    def show(driver, bar):
        shown.append(bar)
        driver.told_at = 1000.0

    monkeypatch.setattr(cluster.Driver, "tell_state", show)
    monkeypatch.setattr(cluster.time, "time", lambda: 1000.5)
    source, output = folder(**{f"c{number}": "0" for number in range(20)})
    assert run(source, output) == 0
    assert len(shown) == 2, "at the begin and at the end, because no second has passed"


def test_detect_does_not_work_in_parts(ray, folder):
    source, output = folder(a="0")
    for words in (["detect", str(source), "-o", str(output), "--part-size", "1"],
                  ["run", str(source), "-o", str(output), "--part-size", "0"]):
        with pytest.raises(SystemExit):
            cluster.main(words)
