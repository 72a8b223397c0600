"""facepipe-ray: works on many videos on a Ray cluster, one task a video. It can cut long videos into parts.

    facepipe-ray run|hide|detect INPUT... -o FOLDER [options]

All machines must see the inputs and FOLDER under the same names. The program's own options are given to each task. The
same command again goes on where the last one ended.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import heapq
import json
import os
import pathlib
import subprocess
import sys
import time

from . import _cluster_worker
from ._cluster_tasks import Task, Tasks, tasks_of
from ._cluster_worker import FINISHED, LOST, Board, work
from ._program import program

#: Exit codes that more attempts may change: "try again" and signals. Negative numbers are signals, too.
PASSING = (75, 143, 137, 139, 136, 135, 134, 132)
ONCE_MORE = (1, 4)  #: exit codes that one more attempt may change, on another machine: a defect, a device that fails


class Driver:
    """Deals the tasks out, longest first, tries again what may pass, and tells what happens."""

    def __init__(self, asked: argparse.Namespace, options: list[str], tasks: list[Task], ray) -> None:
        self.asked, self.ray = asked, ray
        self.steps = Tasks(asked, options, tasks)
        self.tasks = self.steps.all
        self.waiting: list[tuple[float, int, str]] = []  # a heap; first the earliest time
        self.make_due(self.steps.first)
        self.running: dict = {}
        self.told_at = 0.0  #: when the state of all tasks was shown last
        self.codes: collections.Counter = collections.Counter()
        ray.cloudpickle.register_pickle_by_value(_cluster_worker)  # workers need not have this module
        gpus = asked.num_gpus if asked.num_gpus is not None else min(1, int(ray.cluster_resources().get("GPU", 0)))
        self.work = ray.remote(max_retries=0, num_cpus=asked.num_cpus, num_gpus=gpus)(work)
        self.board = ray.remote(num_cpus=0, max_restarts=-1)(Board).remote()  # also if its machine vanishes

    def run(self) -> int:
        """Works on all tasks. Returns the exit code."""
        from tqdm import tqdm
        with (tqdm(total=len(self.waiting), unit="file", disable=self.asked.quiet or None) as bar,
              open(self.asked.output / "events.jsonl", "a", encoding="utf-8", buffering=1) as events):
            while self.waiting or self.running:
                self.start_due()
                ended = self.ray.wait(list(self.running), timeout=1)[0] if self.running else time.sleep(.2)
                for ref in ended or []:
                    event = self.event_of(ref)
                    events.write(json.dumps(event) + "\n")
                    if self.end_attempt(event):
                        bar.update(self.tasks[event["task"]].kind in ("whole", "join"))
                        self.make_due(self.steps.following(self.tasks[event["task"]]))
                if time.time() - self.told_at >= 1:  # it goes over all tasks
                    self.tell_state(bar)
            self.tell_state(bar)
        self.write_report()
        codes = [task.code for task in self.tasks.values()]
        return next((code for code in codes if code not in FINISHED), max(codes, default=0))

    def make_due(self, tasks: list[Task]) -> None:
        for place, task in enumerate(tasks):
            heapq.heappush(self.waiting, (time.time(), place, task.name))

    def start_due(self) -> None:
        while self.waiting and self.waiting[0][0] <= time.time():
            task = self.tasks[heapq.heappop(self.waiting)[2]]
            task.attempts += 1
            where = {"folder": self.steps.folder(task), "log": f"{self.steps.side / task.name}.log",
                     "program": program(), "cwd": os.getcwd(),
                     "silence": None if task.kind == "split" else self.asked.silence}
            # A task that has failed is tried on another machine if there is a choice.
            placed = self.work.options(scheduling_strategy="SPREAD" if task.attempts > 1 else "DEFAULT")
            ref = placed.remote(task.name, task.attempts, self.steps.command(task), where, self.board)
            self.running[ref] = (task, time.time())

    def event_of(self, ref) -> dict:
        task, began = self.running.pop(ref)
        try:
            return self.ray.get(ref)
        except self.ray.exceptions.RayError as error:  # the worker was killed, or its machine is gone
            return {"task": task.name, "attempt": task.attempts, "host": None, "gpu": None, "start": began,
                    "end": time.time(), "code": LOST, "reason": str(error).strip().splitlines()[0], "frames": 0}

    def end_attempt(self, event: dict) -> bool:
        """Returns whether the task has ended."""
        task, code = self.tasks[event["task"]], event["code"]
        task.reason, task.frames = event["reason"] or "", event["frames"]
        self.codes[code] += 1
        # split ends with 5 while another driver writes the same plan.
        again = (code in PASSING or code < 0 or code in ONCE_MORE and task.attempts < 2 or
                 code == 5 and task.kind == "split")
        if again and task.attempts < self.asked.attempts:
            pause = min(60.0, self.asked.pause * 2 ** (task.attempts - 1))
            heapq.heappush(self.waiting, (time.time() + pause, task.attempts, task.name))
            return False
        task.code = code
        if code not in FINISHED:
            print(f"facepipe-ray: failed: {task.name}: exit {code}, attempt {task.attempts}: {task.reason}",
                  file=sys.stderr, flush=True)
        return True

    def tell_state(self, bar) -> None:
        """Shows what the tasks and the board say, and writes it for Prometheus."""
        self.told_at, told = time.time(), {}
        with contextlib.suppress(self.ray.exceptions.RayError):  # it is being restarted
            told = self.ray.get(self.board.tell.remote(), timeout=10)
        for name, (attempt, frames) in told.items():
            if self.tasks[name].code is None and attempt == self.tasks[name].attempts:  # not of a lost attempt
                self.tasks[name].frames = frames
        bar.set_postfix_str(f"{self.failed()} failed, {self.frames()} frames")
        if self.asked.metrics:
            self.write_metrics()

    def failed(self) -> int:
        return sum(task.code not in (None, *FINISHED) for task in self.tasks.values())

    def frames(self) -> int:
        """Returns the frames of all tasks. Those of a join are the frames of its parts."""
        return sum(task.frames for task in self.tasks.values() if task.kind != "join")

    def write_metrics(self) -> None:
        import prometheus_client as prometheus
        registry = prometheus.CollectorRegistry()
        states = prometheus.Gauge("facepipe_tasks", "Tasks by state", ["state"], registry=registry)
        finished = sum(task.code in FINISHED for task in self.tasks.values())
        for state, count in (("waiting", len(self.waiting)), ("started", len(self.running)),
                             ("finished", finished), ("failed", self.failed())):
            states.labels(state).set(count)
        ends = prometheus.Counter("facepipe_attempts", "Attempts that have ended", ["exit_code"], registry=registry)
        for code, count in self.codes.items():
            ends.labels(str(code)).inc(count)
        frames = prometheus.Gauge("facepipe_frames", "Frames of all tasks", registry=registry)
        frames.set(self.frames())
        prometheus.write_to_textfile(str(self.asked.metrics), registry)

    def write_report(self) -> None:
        """Merges the reports of all tasks into one list, in the order of their names."""
        entries = []
        for name, task in sorted(self.tasks.items()):
            if task.kind in ("split", "part"):
                continue
            report = self.steps.report(task)
            entries += (json.loads(report.read_text(encoding="utf-8")) if task.code in FINISHED and report.exists() else
                        [{"file": name, "status": "failed", "exit_code": task.code, "error": task.reason}])
        new = self.steps.side / "report.json.new"
        new.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
        new.replace(self.asked.output / "report.json")


def told_apart(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Tells inputs from options by the table that the program prints. Also returns the endings of media files."""
    table = json.loads(subprocess.run([program(), "help", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    flags = [row["names"].split(",") for row in table["options"] if row["shell"]["offers"] == "no value"]
    inputs, options, rest = [], [], iter(words)
    for word in rest:
        if word == "--":
            inputs += rest
        elif word.startswith("-"):
            options += [word] if word in sum(flags, []) or "=" in word else [word, next(rest, "")]
        else:
            inputs.append(word)
    return inputs, options, table["media_extensions"]


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="facepipe-ray", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("command", choices=("run", "hide", "detect"))
    add("-o", "--output", type=lambda word: pathlib.Path(word).absolute(), required=True, help="the folder FOLDER")
    add("--address", help="of a Ray cluster; default: one that runs here, or this machine alone")
    add("--num-cpus", type=float, default=1, help="processors of a task; default: 1")
    add("--num-gpus", type=float, help="GPUs of a task; default: 1 if the cluster has any")
    add("--attempts", type=int, default=4, help="the most attempts of a task; default: 4")
    add("--pause", type=float, default=5, help="seconds before the second attempt, then twice as many; default: 5")
    add("--silence", type=float, default=180, help="seconds after which a silent program is killed; default: 180")
    add("--part-size", type=float, help="with run and hide: cut longer videos into parts of so many megabytes")
    add("--detections", action="store_true", help="write FOLDER/NAME.jsonl for each input, as detect always does")
    add("--metrics", type=pathlib.Path, help="a file in which Prometheus finds numbers about the work")
    add("-q", "--quiet", action="store_true", help="show no progress bar")
    asked, rest = parser.parse_known_args(words)
    if asked.part_size is not None and (asked.command == "detect" or asked.part_size <= 0):
        parser.error("--part-size needs run or hide, and a size above 0")
    inputs, options, endings = told_apart(rest)
    tasks = tasks_of(inputs, asked.output, endings)
    if not tasks:
        parser.error("there is no input")
    (asked.output / ".facepipe-ray").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("RAY_task_oom_retries", "0")  # the driver counts all attempts itself
    try:
        import ray
        ray.init(address=asked.address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # Ray throws many kinds of exceptions
        sys.exit(f"facepipe-ray: error: Ray can't start: {error}")
    try:
        return Driver(asked, options, tasks, ray).run()
    except OSError as error:  # of a file in FOLDER; the same command may go on later
        print(f"facepipe-ray: error: {error}", file=sys.stderr)
        return LOST
    except KeyboardInterrupt:
        return 130  # Ray ends the workers, and the programs end with them
    finally:
        ray.shutdown()
