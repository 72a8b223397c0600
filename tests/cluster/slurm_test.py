"""Tests the scripts for Slurm with the real Slurm, on this machine alone, and the real program. ./dev test --cluster
runs these tests if Slurm is installed here: Debian's packages are slurm-wlm and munge."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

if not all(shutil.which(name) for name in ("slurmctld", "slurmd", "munged", "sbatch")):
    pytest.skip("Slurm isn't installed here", allow_module_level=True)

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = SOURCE / "cluster" / "slurm"
PROGRAM = os.environ.get("FACEPIPE_PROGRAM") or str(SOURCE / "build" / "facepipe")
PHOTO = SOURCE / "data" / "fetched" / "demo" / "city.jpg"
OPTIONS = ["--detect-size", "128x96", "--codec", "mjpeg", "--format", "matroska", "--device", "cpu", "--threads", "1"]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Starts Slurm with one machine of two processors. Returns the variables with which commands find it."""
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    host, user = socket.gethostname(), subprocess.check_output(["id", "-un"], text=True).strip()
    conf = folder / "slurm.conf"
    conf.write_text(f"""ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=5
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=main Nodes=ALL Default=YES
""")
    variables = {**os.environ, "SLURM_CONF": str(conf)}
    daemons = [
        ["munged", "--foreground", "--force", f"--socket={folder}/munge", f"--key-file={key}",
         f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"],
        ["slurmctld", "-D", "-f", str(conf)],
        ["slurmd", "-D", "-f", str(conf), "-N", host]]
    running = []
    try:
        for words in daemons:
            running.append(subprocess.Popen(words, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(1)
        wait_for(lambda: "idle" in told(variables, "sinfo", "-h", "-o", "%T"), folder)
        yield variables
    finally:
        for daemon in reversed(running):
            daemon.terminate()
            daemon.wait(timeout=30)


def told(variables, *words):
    return subprocess.run([str(word) for word in words], env=variables, stdout=subprocess.PIPE, text=True).stdout


def wait_for(reached, what, seconds=240):
    end = time.time() + seconds
    while not reached():
        assert time.time() < end, what
        time.sleep(0.2)


def run(*words):
    subprocess.run([str(word) for word in words], check=True)


def start_again_now(variables):
    """Slurm waits for two minutes before it starts a job again. The tests don't."""
    for job in told(variables, "squeue", "-h", "-t", "PENDING", "-o", "%i %r").splitlines():
        name, reason = job.split()
        if reason == "BeginTime":
            run("env", f"SLURM_CONF={variables['SLURM_CONF']}", "scontrol", "update", f"JobId={name}", "StartTime=now")


def wait_for_jobs(variables, logs):
    def ended():
        start_again_now(variables)
        return not told(variables, "squeue", "-h").strip()
    wait_for(ended, logs)


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
