#!/usr/bin/env python3
"""Stands for facepipe in tests of facepipe-ray. The text of an input says what the program does with it: the exit codes
of its attempts, or "silent", or "slow"."""
import json
import os
import pathlib
import sys
import time


def main() -> int:
    if sys.argv[1:] == ["help", "--json"]:
        rows = [{"names": "-q,--quiet", "shell": {"offers": "no value"}},
                {"names": "--detect-size", "shell": {"offers": "text"}}]
        print(json.dumps({"options": rows, "media_extensions": [".mp4", ".mkv"]}))
        return 0
    if sys.argv[1] in ("split", "part", "join"):
        return work_on_parts(sys.argv[1], sys.argv[2:])
    given = dict(word.removeprefix("--").partition("=")[::2] for word in sys.argv[3:] if word.startswith("--"))
    source = pathlib.Path(sys.argv[2].split("?")[0])
    attempt = int(os.environ["FACEPIPE_ATTEMPT"])
    text = source.read_text() if source.exists() else "0"
    output = pathlib.Path(given["output"]) / f"{source.stem}_faces{source.suffix}"
    if output.exists():
        tell(status="skipped", frames=0, exit_code=0, error=None)
        return 0
    tell(status="running", frames=10 * attempt)
    if text == "silent":
        time.sleep(60)
    if text.startswith("slow"):
        for _ in range(30):
            time.sleep(0.1)
            tell(status="running", frames=10 * attempt)
    codes = [int(word) for word in text.split() if word.isdigit()] or [0]
    code = codes[min(attempt, len(codes)) - 1]
    if code in (0, 6, 7):
        output.write_text(f"video of {source.name}")
        pathlib.Path(given["report"]).write_text(json.dumps([{"file": source.name, "status": "done", "exit_code": code}]))
    print("wrote report", file=sys.stderr)
    tell(status="done", frames=100, exit_code=code, error=None if code in (0, 6, 7) else f"reason {code}")
    return code


def work_on_parts(command: str, words: list[str]) -> int:
    """The text of an input says which part fails, and with which code: "part 2: 75 0"."""
    given = dict(word.removeprefix("--").partition("=")[::2] for word in words if word.startswith("--"))
    if command == "split":
        ending = "hidden" if words[0] == "hide" else "faces"
        plan = {"input": words[1], "ending": ending, "parts": [{}] * int(given["parts"])}
        pathlib.Path(given["output"]).write_text(json.dumps(plan))
        return 0
    plan = json.loads(pathlib.Path(words[0]).read_text())
    source = pathlib.Path(plan["input"])
    if command == "part":
        failing, _, codes = source.read_text().strip().partition(":")
        code = 0
        if failing == f"part {words[1]}":
            code = int(codes.split()[min(int(os.environ["FACEPIPE_ATTEMPT"]), len(codes.split())) - 1])
        if code == 0:
            (pathlib.Path(given["out"]) / words[1]).write_text(f"{words[1]} ")
        tell(status="done", frames=10, exit_code=code, error=f"reason {code}" if code else None)
        return code
    output = pathlib.Path(given["output"]) / f"{source.stem}_{plan['ending']}{source.suffix}"
    if not output.exists():
        files = [pathlib.Path(given["from"]) / str(i + 1) for i in range(len(plan["parts"]))]
        output.write_text("".join(file.read_text() for file in files))
    entry = {"file": source.name, "status": "done", "exit_code": 0, "output": str(output)}
    pathlib.Path(given["report"]).write_text(json.dumps([entry]))
    tell(status="done", frames=10 * len(plan["parts"]), exit_code=0, error=None)
    return 0


def tell(**state) -> None:
    print(json.dumps(state), flush=True)


if __name__ == "__main__":
    sys.exit(main())
