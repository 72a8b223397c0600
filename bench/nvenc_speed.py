"""Rates and latencies with NVENC, by number of sessions at once, beside other encoders."""
from concurrent.futures import ThreadPoolExecutor

import clips
import nvenc_runs

LOOP = 50  # frames of the clip that is repeated
STAGES = ("decode", "preprocess", "inference", "nms", "overlay", "encode", "mux")
SESSIONS = (1, 2, 3)
# name: options, extension ("" without video), numbers of runs at once
OUTPUTS = {
    "no video": ("", "", (1,)),
    "h264_nvenc": ("--codec h264_nvenc", ".mp4", SESSIONS),
    "h264_nvenc p1": ("--codec h264_nvenc --preset p1", ".mp4", (1,)),
    "hevc_nvenc": ("--codec hevc_nvenc", ".mp4", SESSIONS),
    "libx264 veryfast": ("--codec libx264 --preset veryfast", ".mp4", (1,)),
    "mjpeg": ("--codec mjpeg", ".avi", (1,)),
}


def outputs(rehearsed):
    """On the CPU those that it has, and one or two at once."""
    if not rehearsed:
        return OUTPUTS
    return {nvenc_runs.rehearsed(name): (nvenc_runs.rehearsed(words), extension, at_once[:2])
            for name, (words, extension, at_once) in OUTPUTS.items()}


def header():
    return (f"{'':<22}{'at once':>8}{'fps':>9}{'start s':>9}{'CPU ms':>8}{'latency p50':>13}{'p95':>9}{'p99':>9}"
            f"{'total p50':>11}"
            + "".join(f"{stage:>11}" for stage in STAGES) + "  bound by")


def mean(values):
    return sum(values) / len(values)


def row(name, reports):
    """One line: rates added up, times of all runs averaged. A stage's time is the median of its frames'."""
    times = [report["stage_ms"] for report in reports]
    latency = [mean([each["latency"][share] for each in times]) for share in ("p50", "p95", "p99")]
    stages = "".join(f"{mean([each[stage]['p50'] for each in times]):>11.2f}" if all(stage in each for each in times)
                     else f"{'-':>11}" for stage in STAGES)
    cpu_ms = mean([1000 * report["cpu_s"] / report["frames"]["decoded"] for report in reports])
    return (f"{name:<22}{len(reports):>8}{sum(report['fps'] for report in reports):>9.1f}"
            f"{mean([report['startup_s'] for report in reports]):>9.2f}{cpu_ms:>8.2f}{latency[0]:>13.2f}"
            f"{latency[1]:>9.2f}{latency[2]:>9.2f}"
            f"{mean([each['total']['p50'] for each in times]):>11.2f}{stages}  {reports[0]['bound_by']}")


class Table:
    """Appends to `verdicts` whether runs ended well, and to `lines` what they took."""

    def __init__(self, program, frames, folder, verdicts, lines, tell):
        self.program, self.frames, self.folder = program, frames, folder
        self.verdicts, self.lines, self.tell = verdicts, lines, tell

    def add(self, line):
        self.lines.append(line)
        self.tell(line)

    def clip(self, size):
        loop = self.folder / f"loop_{size}.mp4"
        nvenc_runs.behaviour.ffmpeg(f"{nvenc_runs.pictures(LOOP, size)} {nvenc_runs.X264}", loop)
        return clips.looped(loop, -(-self.frames // LOOP), self.folder)

    def run(self, clip, output, number):
        words, extension, _ = output
        file = self.folder / f"speed_{number}{extension}" if extension else None
        ended = self.program.run(clip, words, file, f"speed_{number}")
        if file:
            file.unlink(missing_ok=True)
        return ended

    def measure_row(self, clip, name, output, count):
        with ThreadPoolExecutor(count) as threads:
            all_ended = list(threads.map(lambda number: self.run(clip, output, number), range(count)))
        wrong = [f"exit {ended.code}" for ended in all_ended if ended.code != 0]
        self.verdicts.append(nvenc_runs.Verdict(f"{clip.stem}: {name}, {count} at once", wrong,
                                                said="\n".join(ended.said for ended in all_ended)))
        if not wrong:
            self.add(row(name, [ended.report for ended in all_ended]))

    def measure(self, size, wanted):
        clip = self.clip(size)
        frames = -(-self.frames // LOOP) * LOOP
        self.add(f"{size}, {frames} frames; times in ms; latency: decoded to handed to the encoder; total: read to "
                 "muxed; stages: p50")
        self.add(header())
        for name, output in wanted.items():
            for count in output[2]:
                self.measure_row(clip, name, output, count)
        clip.unlink()
