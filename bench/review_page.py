#!/usr/bin/python3
"""Measures the page of `facepipe review` in Chromium: a review of many tracks, and jumps in videos of 1920x1080.

It needs Debian's chromium, chromium-driver, python3-selenium and ffmpeg, and the demo photo. The program runs without a
search, because the script makes the tracks.
"""
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

import measurement

sys.path.insert(0, str(measurement.REPOSITORY / "tests" / "pages"))
import pages_test  # noqa: E402
import review_test  # noqa: E402

SIZE = (1920, 1080)
CLIPS = {  # name: options of the encoder; key frames are 50 frames apart
    "h264": ("clip.mp4", ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p",
                          "-sc_threshold", "0"]),
    "hevc, 10 bit": ("clip.mkv", ["-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le",
                                  "-x265-params", "log-level=error:scenecut=0:keyint=50:min-keyint=50"]),
}
MUST = {"ready": 2000, "filter": 100, "bulk": 200, "jump": 300}  # ms


def make_clip(path, words, seconds):
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-loop", "1", "-r", "30", "-t", str(seconds), "-i",
         str(pages_test.PHOTO), "-vf", f"scale=2400:-2,crop={SIZE[0]}:{SIZE[1]}:'n':'n/4'", *words, "-g", "50",
         f"file:{path}"], check=True)


def facts_of(clip):
    """Returns the stamps and the time base of a clip, as an edit file has them."""
    told = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts:stream=time_base", "-of", "json",
         clip], check=True, capture_output=True).stdout)
    base = [int(part) for part in told["streams"][0]["time_base"].split("/")]
    return sorted(packet["pts"] for packet in told["packets"]), base


def make_tracks(path, clip, count):
    """Writes an edit file with `count` tracks at random places, half of them weak suggestions."""
    stamps, base = facts_of(clip)
    chance = random.Random(1)
    tracks = []
    for number in range(count):
        first = chance.randrange(len(stamps) - 12)
        x, y, side = chance.randrange(SIZE[0] - 80), chance.randrange(SIZE[1] - 80), chance.randrange(12, 80)
        action = ("hide", "suggest", "suggest")[number % 3]
        score = chance.uniform(0.3, 1) if action == "hide" else chance.uniform(0.02, 0.14)
        boxes = [[pts, x, y, x + side, y + side, "seen"] for pts in stamps[first:first + 12]]
        tracks.append({"id": number, "action": action, "start_pts": boxes[0][0], "end_pts": boxes[-1][0],
                       "score_max": round(score, 4), "origin": "detector", "boxes": boxes})
    sha256 = subprocess.run(["sha256sum", clip], check=True, capture_output=True, text=True).stdout.split()[0]
    head = {"sha256": sha256, "frames": len(stamps), "width": SIZE[0], "height": SIZE[1], "time_base": base}
    path.write_text(json.dumps({"version": 1, "input": head, "tracks": tracks}))
    return stamps


# How long something takes until the browser has drawn it.
TIMED = """
const done = arguments[arguments.length - 1];
const drawn = () => new Promise(next => requestAnimationFrame(() => setTimeout(next)));
(async () => {
  const begin = performance.now();
  await (async () => { %s })();
  await drawn();
  done(performance.now() - begin);
})();"""
FILTER = "$('which').value = %r; $('which').dispatchEvent(new Event('change'));"
BULK = "chosen = new Set(shown.filter(t => !t.members).map(t => t.id)); await decide(%r);"
JUMP = """
const done = arguments[1], frame = document.getElementById('frame'), begin = performance.now();
let first = 0;
frame.dataset.exact = 'no';
const watch = new MutationObserver(() => {
  if (frame.dataset.exact === 'no') return;
  first ||= performance.now() - begin;
  if (frame.dataset.exact !== 'true') return;
  watch.disconnect();
  done([first, performance.now() - begin, here]);
});
watch.observe(frame, {attributes: true});
go(arguments[0]);"""


class OpenReview:
    """A review in a browser, until it is closed."""

    def __init__(self, arguments, folder, clip, tracks):
        pages_test.PROGRAM = review_test.PROGRAM = str(arguments.facepipe)
        self.review = review_test.Review(clip, tracks, folder)
        self.browser = pages_test.make_browser(folder / "profile")
        self.browser.set_script_timeout(120)
        self.browser.set_window_size(1280, 900)
        self.browser.get(self.review.address)
        self.ready = review_test.WebDriverWait(self.browser, 120, 0.02).until(
            lambda browser: browser.execute_script("return document.body.dataset.ready"))
        self.wait("return document.getElementById('frame').dataset.exact === 'true'")

    def wait(self, script):
        review_test.WebDriverWait(self.browser, 120, 0.05).until(lambda browser: browser.execute_script(script))

    def timed(self, script):
        return self.browser.execute_async_script(TIMED % script)

    def close(self):
        self.browser.quit()
        self.review.stop()


def line(name, value, must, unit="ms"):
    return f"{name:<44}{value:9.0f} {unit} (must: {must})\n"


def measure_list(arguments, folder, clip):
    tracks = folder / "t.json"
    make_tracks(tracks, clip, arguments.tracks)
    opened = OpenReview(arguments, folder, clip, tracks)
    shown = {which: statistics.median(opened.timed(FILTER % which) for _ in range(5))
             for which in ("all", "hide", "suggest", "todo")}
    opened.timed(FILTER % "all")
    bulk = [opened.timed(BULK % action) for action in ("keep", "hide", "keep")]
    undo = opened.timed("await change({action: 'undo'});")
    cards = opened.browser.execute_script("return document.querySelectorAll('.track').length")
    peak = next(int(word.split()[1]) / 1024 for word in
                pathlib.Path(f"/proc/{opened.review.process.pid}/status").read_text().splitlines()
                if word.startswith("VmHWM"))
    opened.close()
    text = line(f"ready with {arguments.tracks} tracks", float(opened.ready), MUST["ready"])
    for which, value in shown.items():
        text += line(f"filter “{which}”", value, MUST["filter"])
    text += line("bulk decision about all cards, median of 3", statistics.median(bulk), MUST["bulk"])
    text += line("undo of it", undo, MUST["bulk"])
    text += line("cards in the page", cards, 60, "  ")
    return text + f"{'memory of facepipe, at most':<44}{peak:9.0f} MiB\n"


def measure_jumps(arguments, folder, name, clip):
    tracks = folder / "few.json"
    stamps = make_tracks(tracks, clip, 30)
    opened = OpenReview(arguments, folder, clip, tracks)
    wanted = random.Random(2).sample(stamps, arguments.jumps)
    jumps = [opened.browser.execute_async_script(JUMP, pts) for pts in wanted]
    opened.close()
    wrong = sum(1 for pts, jump in zip(wanted, jumps) if jump[2] != pts)
    if wrong:
        sys.exit(f"{name}: {wrong} of {len(wanted)} jumps led to another frame")
    return (line(f"{name}: first picture, median of {len(jumps)} jumps", statistics.median(j[0] for j in jumps),
                 MUST["jump"]) +
            line(f"{name}: exact picture, median", statistics.median(j[1] for j in jumps), "after a first one") +
            line(f"{name}: exact picture, slowest", max(j[1] for j in jumps), "after a first one"))


def main():
    options = measurement.parser(__doc__)
    options.add_argument("--tracks", type=int, default=20_000, help="tracks of the review (default: 20000)")
    options.add_argument("--jumps", type=int, default=21, help="in each video (default: 21)")
    options.add_argument("--seconds", type=int, default=10, help="length of the videos (default: 10)")
    arguments = options.parse_args()
    body = ""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for codec, (file, words) in CLIPS.items():
            clip = folder / file
            make_clip(clip, words, arguments.seconds)
            own = folder / file.replace(".", "-")
            own.mkdir()
            if codec == "h264":
                (folder / "list").mkdir()
                body += measure_list(arguments, folder / "list", clip)
            body += measure_jumps(arguments, own, codec, clip)
    measurement.write_result(arguments, {"clips": f"{SIZE[0]}x{SIZE[1]}, {30 * arguments.seconds} frames, key frames 50 apart"},
                             body)


if __name__ == "__main__":
    main()
