"""What facepipe-ray runs on the machines of a cluster. They need not have this module: Ray sends it to them."""
from __future__ import annotations

import json
import os
import select
import shutil
import socket
import subprocess
import sys
import time

FINISHED = (0, 6, 7)  #: exit codes after which the output is finished
LOST = 75  #: stands for the exit code of an attempt whose worker or machine was lost


def work(name: str, attempt: int, command: list[str], where: dict, board) -> dict:
    """Runs the program on one input, on a worker. Returns what events.jsonl tells about the attempt."""
    began = time.time()
    os.makedirs(where["folder"], exist_ok=True)
    os.makedirs(os.path.dirname(where["log"]), exist_ok=True)
    named = os.environ.get("FACEPIPE_PROGRAM") or where["program"]
    path = named if os.path.exists(named) else shutil.which("facepipe") or named
    last, rest, silent = {}, b"", False
    with open(where["log"], "ab+") as log:
        begin = log.seek(0, os.SEEK_END)
        # The program stays in the process group of the worker, so that Ray ends it with the worker.
        child = subprocess.Popen([path, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                 cwd=where["cwd"] if os.path.isdir(where["cwd"]) else None,
                                 env={**os.environ, "FACEPIPE_ATTEMPT": str(attempt)})
        try:
            while select.select([child.stdout], [], [], where["silence"])[0]:
                piece = os.read(child.stdout.fileno(), 1 << 16)
                if not piece:
                    break
                *lines, rest = (rest + piece).split(b"\n")
                last = json.loads(lines[-1]) if lines else last
                board.tell.remote(name, attempt, last.get("frames") or 0)
            else:
                silent = True
        finally:
            if silent or sys.exc_info()[0]:
                child.kill()
            code = child.wait()
        log.seek(begin)
        said = log.read().decode(errors="replace").strip().splitlines()
    reason = last.get("error") or (said[-1] if code not in FINISHED and said else "")
    if silent:
        code, reason = LOST, f"the program told nothing for {where['silence']:g} seconds, and was killed"
    return {"task": name, "attempt": attempt, "host": socket.gethostname(),
            "gpu": os.environ.get("CUDA_VISIBLE_DEVICES") or None, "start": began, "end": time.time(), "code": code,
            "reason": reason or None, "frames": last.get("frames") or 0}


class Board:
    """An actor that knows how many frames the last attempt of each task has done."""

    def __init__(self) -> None:
        self.told: dict[str, tuple[int, int]] = {}

    def tell(self, name: str = "", attempt: int = 0, frames: int = 0) -> dict[str, tuple[int, int]]:
        if name:
            self.told[name] = (attempt, frames)
        return self.told if not name else {}
