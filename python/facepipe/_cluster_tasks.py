"""What facepipe-ray has to do: a task for each input, and for a long input the steps that cut it, make its parts and
join them."""
from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import shutil
import sys

from ._cluster_worker import FINISHED


@dataclasses.dataclass
class Task:
    """One input, or a step of the work on a long one, and what has become of it."""
    input: str
    name: str  #: relative to FOLDER, of the files beside the video
    folder: str  #: where its video goes
    size: int
    attempts: int = 0
    frames: int = 0
    code: int | None = None  #: once it has ended
    reason: str = ""
    kind: str = "whole"  #: or "split", "part", "join": steps of the work on a long input
    part: int = 0  #: the number of a part, from 1
    video: str = ""  #: the name of the long input whose step this is
    unmade: int = 0  #: parts of a long input that aren't finished


def tasks_of(inputs: list[str], output: pathlib.Path, endings: list[str]) -> list[Task]:
    """Returns the tasks of inputs. Ends the program if an input is missing, or if two would write the same files."""
    found: list[Task] = []
    for word in inputs:
        path = pathlib.Path(word)
        if "://" in word:
            found.append(Task(word, word.split("?")[0].split("#")[0].rsplit("/", 1)[-1] or "stream", str(output), 0))
        elif not path.exists():
            sys.exit(f"facepipe-ray: error: {word}: no such file or folder")
        for file in sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []:
            name = file.relative_to(path) if path.is_dir() else pathlib.Path(file.name)
            hidden = any(part.startswith(".") for part in name.parts)
            earlier = any(mark in file.stem for mark in ("_faces", "_hidden", ".partial"))
            if path.is_file() or file.is_file() and file.suffix.lower() in endings and not hidden and not earlier:
                found.append(Task(str(file.absolute()), str(name), str(output / name.parent), file.stat().st_size))
    outputs: dict[pathlib.Path, str] = {}
    for task in found:
        other = outputs.setdefault((output / task.name).with_suffix(""), task.input)
        if other is not task.input:
            sys.exit(f"facepipe-ray: error: {other.split('?')[0]} and {task.input.split('?')[0]} have the same output")
    return found


class Tasks:
    """All tasks by name, the longest first. Knows the command of each, and what follows when one has ended."""

    def __init__(self, asked: argparse.Namespace, options: list[str], tasks: list[Task]) -> None:
        self.asked, self.options = asked, options
        self.side = asked.output / ".facepipe-ray"
        self.all = {task.name: task for task in sorted(tasks, key=lambda task: -task.size)}
        self.first = [self.first_step(task) for task in list(self.all.values())]  #: what can be done at once

    def first_step(self, task: Task) -> Task:
        """Returns the task itself, or the step that the work on a long input begins with."""
        if task.size < (self.asked.part_size or float("inf")) * 1e6:
            return task
        task.kind, task.video = "join", task.name
        if self.is_joined(task):  # join looks for the video
            return task
        return self.add_step(task, "split")

    def is_joined(self, task: Task) -> bool:
        """Returns whether an earlier run has joined the input, and its video is still there."""
        try:
            entries = json.loads(self.report(task).read_text(encoding="utf-8"))
            return all(not entry.get("output") or pathlib.Path(entry["output"]).exists() for entry in entries)
        except (OSError, ValueError):
            return False

    def add_step(self, whole: Task, kind: str, part: int = 0) -> Task:
        name = f"{whole.name}.{kind}{f'-{part}' if part else ''}"
        self.all[name] = Task(whole.input, name, whole.folder, whole.size, kind=kind, part=part, video=whole.name)
        return self.all[name]

    def following(self, ended: Task) -> list[Task]:
        """Returns what can be done on a long input now that a step has ended."""
        if ended.kind == "join" and ended.code in FINISHED:
            shutil.rmtree(self.parts(ended), ignore_errors=True)
        if ended.kind not in ("split", "part"):
            return []
        whole = self.all[ended.video]
        if ended.code not in FINISHED:
            whole.code, whole.reason = whole.code or ended.code, whole.reason or ended.reason
            return []
        if ended.kind == "split":
            with open(self.plan(ended), encoding="utf-8") as plan:
                whole.unmade = len(json.load(plan)["parts"])
            return [self.add_step(whole, "part", i + 1) for i in range(whole.unmade)]
        whole.unmade -= 1
        return [] if whole.unmade else [whole]

    def plan(self, task: Task) -> str:
        return f"{self.side / task.video}.plan.json"

    def parts(self, task: Task) -> str:
        return f"{self.side / task.video}.parts"

    def folder(self, task: Task) -> str:
        """Returns the folder that the task's program writes into."""
        return self.parts(task) if task.kind == "part" else task.folder

    def report(self, task: Task) -> pathlib.Path:
        return pathlib.Path(f"{self.side / task.name}.json")

    def command(self, task: Task) -> list[str]:
        plan, parts = self.plan(task), self.parts(task)
        threads = [word for word in self.options if word.split("=")[0] == "--threads"]
        if task.kind == "split":
            count = -int(-task.size // (self.asked.part_size * 1e6))
            return ["split", self.asked.command, task.input, f"--parts={count}", f"--output={plan}", "--overwrite",
                    *self.options]
        if task.kind == "part":
            return ["part", plan, str(task.part), f"--out={parts}", "--die-with-parent", "--progress=json",
                    *([] if threads else [f"--threads={max(1, int(self.asked.num_cpus))}"])]
        if task.kind == "join":
            return ["join", plan, f"--from={parts}", "--task", "--skip-existing", "--die-with-parent",
                    "--progress=json", f"--report={self.report(task)}", f"--output={task.folder}/",
                    *([f"--detections={self.asked.output / task.name}.jsonl"] if self.asked.detections else [])]
        words = [self.asked.command, task.input, "--task", "--skip-existing", "--die-with-parent", "--progress=json",
                 f"--report={self.report(task)}", *self.options]
        if self.asked.command == "detect" or self.asked.detections:
            words.append(f"--detections={self.asked.output / task.name}.jsonl")
        if self.asked.command != "detect":
            words.append(f"--output={task.folder}/")
        if not threads:
            words.append(f"--threads={max(1, int(self.asked.num_cpus))}")
        return words
