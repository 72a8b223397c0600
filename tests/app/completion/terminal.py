"""Types command lines into a real shell on a terminal of its own, and reads which arguments a program gets."""
import os
import pty
import select
import signal
import time

MOST_SECONDS = 60  # for one command line on a busy machine

# A program with the name facepipe, which writes its arguments to a file. The shells run it instead of the real one.
RECORDER = """#!/bin/sh
for argument in "$@"; do printf '%s\\0' "$argument"; done >"$RECORDED.part"
mv "$RECORDED.part" "$RECORDED"
"""


class Terminal:
    """A shell that has read the script with which facepipe completes command lines. It works in `folder`. `home` is an
    empty folder for its settings."""

    def __init__(self, shell, script, home, folder):
        self.recorded = home / "recorded"
        self.prompts = home / "prompts"
        self.output = b""
        (home / "bin").mkdir()
        (home / "bin" / "facepipe").write_text(RECORDER, encoding="utf-8")
        (home / "bin" / "facepipe").chmod(0o755)
        command = SHELLS[shell](home, script)
        environment = {"PATH": f"{home / 'bin'}:{os.environ['PATH']}", "HOME": str(home), "ZDOTDIR": str(home),
                       "XDG_CONFIG_HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "TERM": "xterm",
                       "LC_ALL": "C.UTF-8", "RECORDED": str(self.recorded), "PROMPTS": str(self.prompts)}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.wait(lambda: self.count_prompts() > 0)

    def arguments_of(self, typed):
        """Types a command line, whose tabs complete, and Enter. Returns the arguments that facepipe gets."""
        self.recorded.unlink(missing_ok=True)
        before = self.count_prompts()
        os.write(self.terminal, typed.encode() + b"\r")
        self.wait(lambda: self.recorded.exists() and self.count_prompts() > before)
        return self.recorded.read_bytes().decode().split("\0")[:-1]

    def count_prompts(self):
        return self.prompts.stat().st_size if self.prompts.exists() else 0

    def wait(self, done):
        """Waits, and reads what the shell writes to its terminal."""
        end = time.monotonic() + MOST_SECONDS
        while not done():
            if time.monotonic() > end:
                raise TimeoutError(self.output[-2000:].decode(errors="replace"))
            if select.select([self.terminal], [], [], 0.02)[0]:
                self.output += os.read(self.terminal, 65536)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


# Each function writes the settings of a shell, which add a byte to the file $PROMPTS before each prompt, and returns the
# command that starts the shell.

def bash(home, script):
    (home / "bashrc").write_text("PROMPT_COMMAND='printf . >>\"$PROMPTS\"'\n" + script, encoding="utf-8")
    return ["bash", "--noprofile", "--rcfile", str(home / "bashrc"), "-i"]


def zsh(home, script):
    (home / "functions").mkdir()
    (home / "functions" / "_facepipe").write_text(script, encoding="utf-8")
    (home / ".zshrc").write_text("fpath=($HOME/functions $fpath)\nautoload -Uz compinit && compinit -u -D\n"
                                 "precmd() { printf . >>$PROMPTS }\n", encoding="utf-8")
    return ["zsh", "-d", "-i"]


def fish(home, script):
    (home / "fish" / "completions").mkdir(parents=True)
    (home / "fish" / "completions" / "facepipe.fish").write_text(script, encoding="utf-8")
    (home / "fish" / "config.fish").write_text("function fish_prompt\n    printf . >>$PROMPTS\n    printf '> '\nend\n"
                                               "set -g fish_autosuggestion_enabled 0\n", encoding="utf-8")
    return ["fish", "-i"]


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
