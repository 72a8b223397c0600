"""Tests the module with the real program: what it yields and throws, and how it stops."""
import contextlib
import importlib.util
import json
import os
import pathlib
import pickle
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from conftest import SOURCE

import facepipe


@pytest.fixture
def clip(inputs, tmp_path):
    shutil.copy(inputs / "clip.mp4", tmp_path)
    return tmp_path / "clip.mp4"


def detected_by_the_program(clip, *command):
    lines = clip.with_name("d.jsonl")
    subprocess.run([facepipe.program(), *command, "-q", clip, "--detections", lines], check=True)
    return [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("tracks, command", [(True, ["detect"]), (False, ["run", "--no-video"])])
def test_detect_yields_what_the_program_finds(clip, tracks, command):
    frames = list(facepipe.detect(clip, tracks=tracks))
    expected = detected_by_the_program(clip, *command)
    assert len(expected) == 10
    assert sum(len(record["faces"]) for record in expected) >= 10
    assert [frame.index for frame in frames] == list(range(10))
    for frame, record in zip(frames, expected):
        assert (frame.file, frame.time_s, frame.width, frame.height) == (str(clip), record["pts_s"], 320, 192)
        assert [list(face.box) for face in frame.faces] == [face["box"] for face in record["faces"]]
        assert [face.score for face in frame.faces] == [face["score"] for face in record["faces"]]
        assert [face.track for face in frame.faces] == [face.get("track") for face in record["faces"]]
        assert [face.landmarks and [list(point) for point in face.landmarks] for face in frame.faces] == [
            face["landmarks"] for face in record["faces"]]
        assert {face.track is None for face in frame.faces} == {not tracks}
        assert {face.landmarks is None for face in frame.faces} == {tracks}
        assert {(face.kind, face.searched) for face in frame.faces} == {("face", True)}


def test_detect_tells_which_frames_were_not_searched(clip):
    frames = list(facepipe.detect(clip, every=5))
    searched = {frame.index for frame in frames if any(face.searched for face in frame.faces)}
    followed = {frame.index for frame in frames if any(not face.searched for face in frame.faces)}
    assert searched and followed
    assert not searched & followed


def test_detect_goes_over_several_inputs(clip):
    other = clip.with_name("other.mp4")
    shutil.copy(clip, other)
    assert [frame.file for frame in facepipe.detect(clip, other)] == 10 * [str(clip)] + 10 * [str(other)]


def test_arrays_have_a_row_for_each_face(clip):
    numpy = pytest.importorskip("numpy")
    with_faces = next(facepipe.detect(clip))
    assert with_faces.boxes().shape == (len(with_faces.faces), 4)
    assert with_faces.boxes().tolist() == numpy.float32([face.box for face in with_faces.faces]).tolist()
    assert with_faces.scores().shape == (len(with_faces.faces),)
    without = facepipe.Frame("clip.mp4", 0, 0.0, 320, 192, ())
    assert without.boxes().shape == (0, 4)
    assert without.scores().shape == (0,)


def test_the_module_needs_no_numpy():
    check = "import sys; sys.modules['numpy'] = None; import facepipe; facepipe.Frame('', 0, 0., 1, 1, ())"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_hide_and_verify(clip):
    hidden = clip.with_name("hidden.mp4")
    facepipe.hide(clip, hidden, style="solid:white", threads=2)
    passed = facepipe.verify(clip, hidden, quick=True)
    assert (passed.passed, passed.findings) == (True, [])
    assert passed.verdict == "no face found"
    report = clip.with_name("r.json")
    failed = facepipe.verify(clip, clip, report, quick=True)
    assert not failed.passed
    assert failed.counts["leak"] == len(failed.findings) >= 1
    assert failed.report == json.loads(report.read_text(encoding="utf-8"))
    assert failed.report["exit_code"] == 7


def test_verify_reports_that_the_videos_differ(clip):
    shorter = clip.with_name("shorter.mp4")
    facepipe.hide(clip, shorter, end=0.2)
    differs = facepipe.verify(clip, shorter, quick=True)
    assert not differs.passed
    assert differs.report["exit_code"] == 6
    assert differs.report["frames_missing"]["count"] == 5


def test_hide_names_the_output_like_the_program(clip):
    facepipe.hide(clip)
    assert clip.with_name("clip_hidden.mp4").exists()
    with pytest.raises(facepipe.OutputError, match="clip_hidden.mp4: exists already") as caught:
        facepipe.hide(clip)
    assert caught.value.exit_code == 5
    facepipe.hide(clip, overwrite=True, careful=None)


@pytest.mark.parametrize("options, kind, exit_code, text", [
    ({"every": 0}, facepipe.UsageError, 2, "--every: '0'"),
    ({"no_such_option": True}, facepipe.UsageError, 2, "--no-such-option"),
    ({"model": "missing.onnx"}, facepipe.DeviceError, 4, "missing.onnx"),
])
def test_errors_have_the_class_of_the_exit_code(clip, options, kind, exit_code, text):
    with pytest.raises(kind, match=re.escape(text)) as caught:
        list(facepipe.detect(clip, **options))
    assert caught.value.exit_code == exit_code
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.exit_code) == (kind, str(caught.value), exit_code)


def test_inputs_that_look_like_options_are_inputs(clip, monkeypatch):
    monkeypatch.chdir(clip.parent)
    with pytest.raises(facepipe.InputError, match="--careful"):
        facepipe.hide("--careful")
    clip.rename("-q.mp4")
    assert len(list(facepipe.detect("-q.mp4"))) == 10


def test_damage_is_told_after_the_last_frame(clip):
    whole = clip.with_suffix(".mkv")
    subprocess.run(["ffmpeg", "-v", "error", "-i", clip, "-c", "copy", whole], check=True)
    whole.write_bytes(whole.read_bytes()[:-3000])
    got = []
    with pytest.raises(facepipe.DamageError) as caught:
        got.extend(facepipe.detect(whole))
    assert caught.value.exit_code == 6
    assert 1 <= len(got) < 10


def test_missing_programs_are_told(clip, monkeypatch):
    monkeypatch.setenv("FACEPIPE_PROGRAM", str(clip.with_name("missing")))
    with pytest.raises(FileNotFoundError):
        facepipe.hide(clip)
    monkeypatch.delenv("FACEPIPE_PROGRAM")
    monkeypatch.setenv("PATH", str(clip.parent))
    with pytest.raises(facepipe.DeviceError, match="no program facepipe"):
        facepipe.hide(clip)


def children():
    """Returns the processes that this thread has started and that have not been waited for."""
    return pathlib.Path("/proc/thread-self/children").read_text(encoding="ascii").split()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened in time"
        time.sleep(0.02)


@pytest.fixture
def long_clip(clip):
    """A clip of 2,000 frames: the program needs much longer for it than for its start."""
    long = clip.with_name("long.mp4")
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "199", "-i", clip, "-an", "-c", "copy", long], check=True)
    return long


def test_leaving_the_loop_stops_the_program(long_clip):
    with contextlib.closing(facepipe.detect(long_clip)) as frames:
        assert next(frames).index == 0  # long before the last frame
        assert len(children()) == 1
    assert children() == []


def test_ctrl_c_reaches_the_program_once(long_clip):
    script = textwrap.dedent("""
        import sys
        import facepipe
        try:
            facepipe.hide(sys.argv[1], sys.argv[2])
        except KeyboardInterrupt:
            print("stopped")
        """)
    hidden = long_clip.with_name("hidden.mp4")
    with subprocess.Popen([sys.executable, "-c", script, long_clip, hidden], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(SOURCE / "python")}) as python:
        # The temporary file grows when the first frames are written.
        wait_until(lambda: any(path.stat().st_size > 1000 for path in long_clip.parent.glob("hidden.mp4.tmp-*")))
        python.send_signal(signal.SIGINT)
        assert python.communicate(timeout=60)[0] == "stopped\n"
    assert long_clip.with_name("hidden.partial.mp4").exists()
    assert not hidden.exists()


def test_examples_of_the_documentation_run(inputs, tmp_path, monkeypatch):
    text = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for example in examples:
        if "import numpy" in example and importlib.util.find_spec("numpy") is None:
            continue
        subprocess.run([sys.executable, "-c", example], check=True)
