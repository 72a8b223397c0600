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


def tell(**state) -> None:
    print(json.dumps(state), flush=True)


if __name__ == "__main__":
    sys.exit(main())
