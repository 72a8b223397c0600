"""Parses the output of `facepipe doctor`, so that measurements can describe the machine."""
import re
from dataclasses import dataclass, field


@dataclass
class Chip:
    device: str  # "cuda:0"
    name: str
    trials: dict = field(default_factory=dict)  # {"h264_nvenc, 8 bits": "" or the reason why it failed}
    problem: str = ""  # why NVENC wasn't tried

    def encodes(self):
        return [trial for trial, why in self.trials.items() if not why]

    def reason(self):
        """Returns why the device encodes nothing."""
        return self.problem or next(iter(self.trials.values()), "NVENC wasn't tried")


def section(told, name):
    """Returns the lines of a section of the output, without their indentation of two spaces."""
    lines, within = [], False
    for line in told.splitlines():
        if not line.startswith(" "):
            within = line == name
        elif within:
            lines.append(line[2:])
    return lines


def value(told, name, what):
    """Returns the text behind the word `what` in a section; "" if no line of the section begins with this word."""
    for line in section(told, name):
        if line.startswith(what + " "):
            return line[len(what):].strip()
    return ""


def add_nvenc(chip, text):
    trial = re.fullmatch(r"(\w+) +(\d+) bits: (works|no: (.*))", text)
    if trial:
        chip.trials[f"{trial[1]}, {trial[2]} bits"] = trial[4] or ""
    else:
        chip.problem = text.removeprefix("not tried: ")


def chips(told):
    found = []
    for line in section(told, "cuda"):
        words = re.match(r"(cuda:\d+) +(.*)", line)
        if words:
            found.append(Chip(words[1], words[2].split(", compute capability")[0]))
            if ": not usable, " in words[2]:
                found[-1].problem = words[2].split(": not usable, ")[1]
        elif found and line.strip().startswith("NVENC"):
            add_nvenc(found[-1], line.strip().removeprefix("NVENC").strip())
    return found


def cuda_problem(told):
    text = value(told, "devices", "cuda")
    # The text names the requested device, which doesn't exist.
    return re.sub(r"^not usable: (--device \S+: )?(no CUDA device: )?", "", text) or "not in this build"


def cuda_versions(told):
    return f"runtime {value(told, 'cuda', 'runtime') or 'none'}, driver {value(told, 'cuda', 'driver') or 'none'}"


def ffmpeg_version(told):
    return value(told, "build", "FFmpeg") or "unknown"
