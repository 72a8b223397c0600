"""Slurm on this machine alone, for tests and measurements. Debian's packages are slurm-wlm and munge."""
import contextlib
import os
import shutil
import socket
import subprocess
import time

#: Slurm is installed here.
INSTALLED = all(shutil.which(name) for name in ("slurmctld", "slurmd", "munged", "sbatch"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextlib.contextmanager
def one_slurm(folder):
    """Starts Slurm with one machine of two processors. Gives the variables with which commands find it."""
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


def start_again_now(variables):
    """Slurm waits for two minutes before it starts a job again. The tests don't."""
    for job in told(variables, "squeue", "-h", "-t", "PENDING", "-o", "%i %r").splitlines():
        name, reason = job.split()
        if reason == "BeginTime":
            subprocess.run(["scontrol", "update", f"JobId={name}", "StartTime=now"], env=variables, check=True)


def wait_for_jobs(variables, logs, seconds=240):
    def ended():
        start_again_now(variables)
        return not told(variables, "squeue", "-h").strip()
    wait_for(ended, logs, seconds)
