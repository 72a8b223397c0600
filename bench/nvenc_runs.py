"""Holds the runs of nvenc_check, and checks their outputs."""
import json
import math
import re
import subprocess
import time
from dataclasses import dataclass, field, replace

import behaviour

FRAMES = 60
TIMEOUT_S = 300
COLOURS = ("color_range", "color_space", "color_transfer", "color_primaries")
BT709 = "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv"
X264 = "-c:v libx264 -preset veryfast"
X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none"
# NVENC's constant quality isn't libx264's CRF of the same number, but is near it.
MOST_DB_BELOW_X264 = 6
# A picture that is stale, torn or in the wrong place is about 20 dB worse than the others.
MOST_DB_BELOW_MEAN = 12


# --- Clips ----------------------------------------------------------------------------------------

def pictures(frames=FRAMES, size="1280x720", pixels="yuv420p", filters=""):
    """Returns ffmpeg's arguments for a clip in which a camera moves over the demo photo.

    If there is no photo, they make a test picture.
    """
    more = f",{filters}" if filters else ""
    if behaviour.PHOTO.exists():
        return behaviour.moving(frames, size, pixels) + more
    return f"-f lavfi -i testsrc2=s={size}:r=25,format={pixels}{more} -frames:v {frames}"


CLIPS = {
    "plain.mp4": lambda: f"-f lavfi -i sine=duration={FRAMES / 25} {pictures()} {X264} {BT709} -c:a aac",
    "deep.mkv": lambda: f"{pictures(pixels='yuv420p10le')} {X265} {BT709}",
    "deep_h264.mkv": lambda: f"{pictures(pixels='yuv420p10le')} {X264} {BT709}",
    "uneven.mp4": lambda: f"{pictures(size='1366x766')} {X264}",
    "portrait.mp4": lambda: f"{pictures(size='606x1080')} {X264}",
    "small.mp4": lambda: f"{pictures(size='194x130')} {X264}",
    "odd.mkv": lambda: f"{pictures(size='641x361')} -c:v ffv1",
    "uneven_times.mkv": lambda: f"{pictures(filters='setpts=N+floor(N/3)')} -fps_mode passthrough {X264}",
    "interlaced.ts": lambda: f"{pictures()} {X264} -flags +ilme+ildct -x264-params tff=1",
}


def make_clip(name, folder):
    """Returns the clip's path. The first call makes the clip."""
    clip = folder / name
    if not clip.exists():
        behaviour.ffmpeg(CLIPS[name](), clip)
    return clip


# --- Runs -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Run:
    name: str
    clip: str
    words: str
    encoder: str = ""  # the report must name this encoder; empty: any encoder
    pixels: str = "yuv420p"
    extension: str = ".mp4"
    code: int = 0
    said: str = ""  # text that the error or a notice must contain
    chip_only: bool = False  # the CPU has no similar run

    def ability(self):
        """Returns what the GPU must be able to do for this run, in doctor's words."""
        return f"{self.encoder}, {10 if self.pixels.endswith('10le') else 8} bits"

    def crf(self):
        """Returns the CRF with which libx264 encodes the same clip for comparison."""
        found = re.search(r"--crf (\d+)", self.words)
        return int(found[1]) if found else 23


def both(name, clip, words="", **more):
    """Returns two runs that differ only in their encoders, h264_nvenc and hevc_nvenc."""
    return [Run(f"{short}: {name}", clip, f"--codec {codec} {words}".strip(), codec, **more)
            for short, codec in (("H.264", "h264_nvenc"), ("HEVC", "hevc_nvenc"))]


def runs():
    """Returns all runs, with NVENC's encoders."""
    h264, hevc = "--codec h264_nvenc", "--codec hevc_nvenc"
    return [
        Run("taken unasked", "plain.mp4", "--codec auto", "h264_nvenc", chip_only=True),
        Run("HEVC taken unasked", "plain.mp4", "--codec hevc", "hevc_nvenc", chip_only=True),
        *both("plain", "plain.mp4"),
        *both("plain to Matroska", "plain.mp4", extension=".mkv"),
        *(run for preset in ("p1", "p4", "p7") for run in both(f"preset {preset}", "plain.mp4",
                                                               f"--preset {preset}")),
        *(run for crf in (15, 35) for run in both(f"CRF {crf}", "plain.mp4", f"--crf {crf}")),
        Run("HEVC: 10 bits", "deep.mkv", hevc, "hevc_nvenc", "yuv420p10le"),
        Run("HEVC: 10 bits, decoded by the CPU", "deep_h264.mkv", hevc, "hevc_nvenc", "yuv420p10le"),
        Run("H.264: 10 bits as 8", "deep.mkv", f"{h264} --allow-8bit", "h264_nvenc", chip_only=True),
        *both("1366x766", "uneven.mp4"),
        *both("606x1080", "portrait.mp4"),
        *both("194x130", "small.mp4"),
        *both("uneven times", "uneven_times.mkv", extension=".mkv"),
        *both("no B-frames", "plain.mp4", "--encoder-option bf=0"),
        Run("H.264: 3 B-frames", "plain.mp4", f"{h264} --preset p4 --encoder-option bf=3", "h264_nvenc"),
        *both("constant QP", "plain.mp4", "--encoder-option rc=constqp --encoder-option qp=23",
              chip_only=True),
        *both("one frame in flight", "plain.mp4", "--frames-in-flight 1"),
        Run("interlaced, by whom can", "interlaced.ts", "--codec auto", extension=".mkv"),
        Run("odd size unasked", "odd.mkv", "--codec auto", "libx264", extension=".mkv",
            said="even sizes", chip_only=True),
        Run("odd size refused", "odd.mkv", h264, code=5, said="even sizes", chip_only=True),
        Run("10 bits refused", "deep.mkv", h264, code=5, chip_only=True),
        Run("preset refused", "plain.mp4", f"{h264} --preset veryfast", code=2, said="p1", chip_only=True),
        Run("CRF refused", "plain.mp4", f"{h264} --crf 0", code=2, said="--crf", chip_only=True),
    ]


ON_THE_CPU = {"h264_nvenc": "libx264", "hevc_nvenc": "libx265",
              "--preset p1": "--preset ultrafast", "--preset p4": "--preset veryfast",
              "--preset p7": "--preset medium"}


def rehearsed(words):
    """Returns the words of the command line, with the CPU's encoders instead of NVENC's."""
    for nvenc, cpu in ON_THE_CPU.items():
        words = words.replace(nvenc, cpu)
    return words


def rehearsal(all_runs):
    return [replace(run, words=rehearsed(run.words), encoder=rehearsed(run.encoder))
            for run in all_runs if not run.chip_only]


@dataclass
class Ended:
    """Says how a program ended."""

    code: int | None  # exit code; None: the program took too long and was stopped
    said: str  # text on standard error
    report: dict = field(default_factory=dict)


class Facepipe:
    """Runs facepipe on one device, with words that every run gets."""

    def __init__(self, program, device, more, folder):
        self.program, self.device, self.more, self.folder = program, device, more, folder

    def run(self, clip, words, output):
        report = self.folder / "run.json"
        report.unlink(missing_ok=True)
        target = ["-o", str(output), "--draw", "boxes,scores"] if output else ["--no-video"]
        ended = run_program([self.program, "run", clip, "--device", self.device, *words.split(), *target,
                             "--report", report, "--overwrite", "--progress", "none", *self.more])
        if report.exists():
            ended.report = json.loads(report.read_text())[0]
        return ended


def run_program(words, environment=None):
    try:
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT_S, env=environment, check=False)
        return Ended(done.returncode, done.stderr.decode(errors="replace"))
    except subprocess.TimeoutExpired as stopped:
        return Ended(None, (stopped.stderr or b"").decode(errors="replace"))


# --- Contents of a file ---------------------------------------------------------------------------

@dataclass
class Probe:
    stream: dict
    times: list  # presentation times in rising order, in seconds
    decoding: list  # decoding times in packet order, in seconds
    first_is_key: bool
    frames: int  # number of frames that can be decoded
    said: str  # the decoder's messages


def read_probe(text, said):
    """Parses ffprobe's JSON about the first video stream and its packets."""
    found = json.loads(text or "{}")
    stream = (found.get("streams") or [{}])[0]
    packets = found.get("packets", [])
    times = sorted(float(packet["pts_time"]) for packet in packets if "pts_time" in packet)
    decoding = [float(packet["dts_time"]) for packet in packets if "dts_time" in packet]
    return Probe(stream, times, decoding, bool(packets) and "K" in packets[0].get("flags", ""),
                 int(stream.get("nb_read_frames", 0)), said.strip())


def probe(file):
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0",
                           "-show_streams", "-show_entries", "packet=pts_time,dts_time,flags", "-show_packets",
                           "-of", "json", str(file)], capture_output=True, text=True, check=False)
    return read_probe(done.stdout, done.stderr)


def tick(stream):
    over, under = stream.get("time_base", "1/1000").split("/")
    return int(over) / int(under)


def wrong_in_times(source, made):
    if len(source.times) != len(made.times):
        return [f"{len(made.times)} time stamps, not {len(source.times)}"]
    allowed = 1.01 * max(tick(source.stream), tick(made.stream))
    apart = [abs(ours - theirs) for ours, theirs in zip(made.times, source.times)]
    wrong = []
    if apart and max(apart) > allowed:
        wrong.append(f"a time stamp is {max(apart):.4f} s off")
    if any(later <= earlier for earlier, later in zip(made.decoding, made.decoding[1:])):
        wrong.append("decoding times don't rise")
    return wrong


def wrong_in_file(run, source, made):
    """Returns a sentence for each error in the output file."""
    stream, wrong = made.stream, []
    codec = {"h264_nvenc": "h264", "libx264": "h264", "hevc_nvenc": "hevc", "libx265": "hevc"}.get(run.encoder)
    expected = {"width": source.stream.get("width"), "height": source.stream.get("height"),
                "pix_fmt": run.pixels, **({"codec_name": codec} if codec else {})}
    expected |= {name: source.stream[name] for name in COLOURS if name in source.stream}
    wrong += [f"{name} is {stream.get(name)}, not {value}" for name, value in expected.items()
              if stream.get(name) != value]
    if made.frames != source.frames:
        wrong.append(f"{made.frames} frames decode, not {source.frames}")
    if made.said:
        wrong.append(f"decoding says: {made.said.splitlines()[0]}")
    if not made.first_is_key:
        wrong.append("the first packet is not a key frame")
    return wrong + wrong_in_times(source, made)


def wrong_in_report(run, report, frames):
    ledger = report.get("frames") or {}
    wrong = [f"{name} frames: {ledger.get(name)}, not {value}"
             for name, value in {"decoded": frames, "written": frames, "lost": 0, "damaged": 0}.items()
             if ledger.get(name) != value]
    if run.encoder and report.get("encoder") != run.encoder:
        wrong.append(f"encoder {report.get('encoder')}, not {run.encoder}")
    left = ((report.get("copies") or {}).get("download") or {}).get("bytes", 0)
    if (report.get("encoder") or "").endswith("_nvenc") and left:
        wrong.append(f"{left} bytes of pictures left the device")
    return wrong


def wrong_in_end(run, ended):
    wrong = []
    if ended.code != run.code:
        wrong.append("was stopped, it took too long" if ended.code is None
                     else f"exit {ended.code}, not {run.code}")
    told = " ".join([ended.said, *(ended.report.get("notices") or [])])
    if run.said not in told:
        wrong.append(f'doesn\'t say "{run.said}"')
    return wrong


# --- Pictures -------------------------------------------------------------------------------------

@dataclass
class Quality:
    mean_db: float
    least_db: float  # that of the worst frame

    def __str__(self):
        return f"{self.mean_db:.2f} dB ({self.least_db:.2f} at least)"


def read_quality(text):
    """Parses the last line that ffmpeg's filter psnr prints."""
    found = re.findall(r"PSNR .*average:(\S+) min:(\S+)", text)
    return Quality(float(found[-1][0]), float(found[-1][1])) if found else Quality(-math.inf, -math.inf)


def quality(file, truth, pixels):
    """Compares the frames of two files in their order. Ignores time stamps."""
    alike = f"settb=1/25,setpts=N,format={pixels}"
    done = subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-i", str(file), "-i", str(truth),
                           "-lavfi", f"[0:v]{alike}[a];[1:v]{alike}[b];[a][b]psnr", "-f", "null", "-"],
                          capture_output=True, text=True, check=False)
    return read_quality(done.stderr)


def wrong_in_quality(ours, x264):
    wrong = []
    if ours.mean_db < x264.mean_db - MOST_DB_BELOW_X264:
        wrong.append(f"PSNR {ours}, of libx264 {x264}")
    if ours.least_db < ours.mean_db - MOST_DB_BELOW_MEAN:
        wrong.append(f"a frame is much worse than the others: PSNR {ours}")
    return wrong


# --- Verdicts -------------------------------------------------------------------------------------

@dataclass
class Verdict:
    name: str
    wrong: list
    facts: str = ""
    said: str = ""  # the result shows this if something is wrong
    skipped: bool = False

    def word(self):
        return "FAILED" if self.wrong else "skipped" if self.skipped else "passed"


class Judge:
    """Runs facepipe and judges its outputs. Keeps the clips, the lossless outputs and libx264's outputs for
    comparisons."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.sources, self.compared = {}, {}

    def source(self, run):
        if run.clip not in self.sources:
            self.sources[run.clip] = probe(make_clip(run.clip, self.folder))
        return self.sources[run.clip]

    def other(self, run, name, words):
        """Encodes the run's clip with another encoder, and returns the file. A later call returns the same file."""
        file = self.folder / f"{name}_{run.clip}.mkv"
        if file not in self.compared:
            ended = self.program.run(self.folder / run.clip, words, file)
            if ended.code != 0:
                raise RuntimeError(f"{words}: exit {ended.code}: {ended.said.strip()}")
            self.compared[file] = file
        return file

    def qualities(self, run, file):
        """Returns the quality of the run's output and that of libx264's, both compared with the lossless output, and
        libx264's file."""
        truth = self.other(run, "lossless", "--codec ffv1")
        x264 = self.other(run, f"x264_{run.crf()}", f"--codec libx264 --preset veryfast --crf {run.crf()}")
        return quality(file, truth, run.pixels), quality(x264, truth, run.pixels), x264

    def judge_output(self, run, ended, file):
        source = self.source(run)
        verdict = Verdict(run.name, wrong_in_report(run, ended.report, source.frames))
        made = probe(file)
        verdict.wrong += wrong_in_file(run, source, made)
        verdict.said = made.said
        if not run.encoder or made.frames == 0:
            verdict.facts = str(ended.report.get("encoder"))
            return verdict
        ours, theirs, x264 = self.qualities(run, file)
        verdict.wrong += wrong_in_quality(ours, theirs)
        verdict.facts = (f"{ended.report.get('encoder')}, {file.stat().st_size} bytes, {ours}; libx264 "
                         f"{x264.stat().st_size} bytes, {theirs}; decoder {ended.report.get('decoder')}")
        return verdict

    def verdict(self, run):
        clip = make_clip(run.clip, self.folder)
        file = self.folder / f"out{run.extension}"
        file.unlink(missing_ok=True)
        ended = self.program.run(clip, run.words, file)
        wrong = wrong_in_end(run, ended)
        if wrong or run.code != 0:
            return Verdict(run.name, wrong, f"exit {ended.code}", ended.said)
        verdict = self.judge_output(run, ended, file)
        verdict.said = "\n".join(part.strip() for part in (ended.said, verdict.said) if part.strip())
        return verdict


def verdict_of(judge, run, trials):
    """Judges one run. `trials` maps each ability that doctor tried to the reason why the GPU lacks it, or to ""."""
    reason = trials.get(run.ability())
    if reason:
        return Verdict(run.name, [], f"the chip has it not: {reason}", skipped=True)
    try:
        return judge.verdict(run)
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as failure:
        return Verdict(run.name, [f"can't be judged: {failure}"])


def verdicts(judge, wanted, trials, tell):
    for run in wanted:
        begin = time.monotonic()
        verdict = verdict_of(judge, run, trials)
        tell(f"{verdict.word():<8}{run.name} ({time.monotonic() - begin:.0f} s)")
        yield verdict
