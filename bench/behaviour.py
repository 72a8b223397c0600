#!/usr/bin/env python3
"""Records what the program does, so that the records before and after a change can be compared.

The script runs facepipe for each row of a table of clips and options. For each run it records the exit code, the
warnings, the report's counts of frames, and hashes: of the decoded pictures with their time stamps, of the other
streams' packets, and of the detections. --compare shows the differences between two such records.

    bench/behaviour.py --to before.json
    bench/behaviour.py --to after.json --compare before.json
    bench/behaviour.py --to before.json --device cuda [--program PROGRAM] [--streams FOLDER]

ffmpeg makes the same clips each time. --clips keeps them in a folder, for a machine whose ffmpeg can't make all of
them. --streams also runs facepipe on every file of a folder.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import measurement

PHOTO = measurement.REPOSITORY / "data" / "fetched" / "demo" / "city.jpg"
TIMEOUT_S = 300
MOVING = "zoompan=z=1.25:x=2*on:y=0:d={frames}:s={size}:fps=25,format={pixels}"
BITEXACT = "-map_metadata -1 -fflags +bitexact -flags:v +bitexact -threads 1"


def moving(frames=25, size="640x448", pixels="yuv420p"):
    """Returns ffmpeg's arguments for a clip in which a camera moves over the demo photo, which shows faces."""
    return f"-i {PHOTO} -vf {MOVING.format(frames=frames, size=size, pixels=pixels)}"


X264 = "-c:v libx264 -preset veryfast"
TONE = "-f lavfi -i sine=duration=1"
# {name: ffmpeg's arguments before the output file, or the names of two clips to join}
CLIPS = {
    "plain.mp4": f"{moving()} {X264}",
    "sound.mkv": f"{TONE} {moving()} {X264} -bf 3 -c:a aac -shortest",
    "deep.mkv": f"{moving(pixels='yuv420p10le')} {X264}",
    "full_chroma.mkv": f"{moving(pixels='yuv444p')} {X264}",
    "odd.mkv": f"{moving(size='321x225', pixels='yuv444p')} -c:v ffv1",
    "hevc.mp4": f"{moving()} -c:v libx265 -preset ultrafast -x265-params log-level=none:pools=1 -tag:v hvc1",
    "vp9.webm": f"{moving(frames=10)} -c:v libvpx-vp9 -deadline realtime -cpu-used 8",
    "mpeg2.ts": f"{moving()} -c:v mpeg2video -q:v 3",
    "interlaced.ts": f"{moving()} {X264} -flags +ilme+ildct -x264-params tff=1",
    "jpeg.avi": f"{moving(pixels='yuvj420p')} -c:v mjpeg -q:v 3",
    "grey.mkv": f"{moving(pixels='gray')} -c:v ffv1",
    "first.264": f"{moving(frames=10)} {X264} -f h264",
    "second.264": f"{moving(frames=10, size='320x240')} {X264} -f h264",
    "picture.png": f"-i {PHOTO} -frames:v 1",
    "picture.jpg": f"-i {PHOTO} -frames:v 1 -q:v 3",
}
# {name of a run: (clip, options, extension of the output; "" without video)}
RUNS = {
    "plain": ("plain.mp4", "", ".mp4"),
    "plain to mkv": ("plain.mp4", "", ".mkv"),
    "all drawings": ("plain.mp4", "--draw boxes,scores,landmarks,count", ".mp4"),
    "no drawings": ("plain.mp4", "--draw none", ".mp4"),
    "range": ("sound.mkv", "--start 0.2 --end 0.6", ".mkv"),
    "sound to mp4": ("sound.mkv", "", ".mp4"),
    "sound to ts": ("sound.mkv", "", ".ts"),
    "deep": ("deep.mkv", "", ".mkv"),
    "deep to jpeg refused": ("deep.mkv", "--codec mjpeg", ".mkv"),
    "deep to jpeg": ("deep.mkv", "--codec mjpeg --allow-8bit", ".mkv"),
    "full chroma": ("full_chroma.mkv", "", ".mkv"),
    "odd size": ("odd.mkv", "", ".mkv"),
    "hevc": ("hevc.mp4", "", ".mp4"),
    "vp9": ("vp9.webm", "", ".mkv"),
    "mpeg2": ("mpeg2.ts", "", ".ts"),
    "interlaced": ("interlaced.ts", "", ".mkv"),
    "jpeg": ("jpeg.avi", "--codec mjpeg", ".avi"),
    "grey": ("grey.mkv", "", ".mkv"),
    "size changes": ("changes.264", "", ".mkv"),
    "size changes refused": ("changes.264", "--on-size-change error", ".mkv"),
    "cut off": ("cut.mp4", "", ".mp4"),
    "cut off tolerated": ("cut.mp4", "--tolerate-damage", ".mp4"),
    "damaged": ("damaged.mp4", "--threads 1", ".mp4"),  # with more threads, FFmpeg doesn't always notice the damage
    "picture": ("picture.png", "", ".png"),
    "photo": ("picture.jpg", "", ".jpg"),
    "no video": ("plain.mp4", "", ""),
    "sizes and scores": ("plain.mp4", "--score 0.3 --min-face 12 --max-face 80", ""),
    "smaller network": ("plain.mp4", "--detect-size 320x224", ""),
    "soft": ("plain.mp4", "--nms-rule soft --nms-min-score 0.3", ""),
    "matrix": ("plain.mp4", "--nms-rule matrix", ""),
    "one in flight": ("plain.mp4", "--frames-in-flight 1", ".mp4"),
    "unknown option of the encoder": ("plain.mp4", "--encoder-option no=1", ".mp4"),
    "no such codec": ("plain.mp4", "--codec nonsense", ".mp4"),
    "no video in it": ("text.mp4", "", ".mp4"),
}


def ffmpeg(arguments, output):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *arguments.split(), str(output)],
                   check=True)


def make_clips(folder):
    for name, arguments in CLIPS.items():
        ffmpeg(f"{arguments} {BITEXACT}", folder / name)
    parts = [(folder / name).read_bytes() for name in ("first.264", "second.264")]
    (folder / "changes.264").write_bytes(b"".join(parts))
    whole = (folder / "plain.mp4").read_bytes()
    ffmpeg(f"-i {folder / 'plain.mp4'} -c copy -movflags +faststart {BITEXACT}",
           folder / "fast.mp4")
    fast = (folder / "fast.mp4").read_bytes()
    (folder / "cut.mp4").write_bytes(fast[:len(fast) * 19 // 20])
    at = whole.index(b"mdat") + len(whole) // 3
    (folder / "damaged.mp4").write_bytes(whole[:at] + bytes(64) + whole[at + 64:])
    (folder / "text.mp4").write_text("no video\n")


def sha(data):
    return hashlib.sha256(data).hexdigest()[:16]


def output_of(*command):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False).stdout


def describe_video(file):
    """Returns text that describes decoded pictures with time stamps, packets of other streams, streams, tags and
    chapters."""
    pictures = output_of("ffmpeg", "-nostdin", "-v", "error", "-threads", 1, "-i", file, "-map",
                         "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-")
    packets = output_of("ffprobe", "-v", "error", "-show_entries",
                        "packet=stream_index,pts,dts,duration,flags", "-show_data_hash", "md5",
                        "-select_streams", "a", "-of", "csv", file)
    streams = json.loads(output_of("ffprobe", "-v", "error", "-show_streams", "-show_chapters",
                                   "-of", "json", file) or "{}")
    for stream in streams.get("streams", []):
        for changing in ("bit_rate", "tags", "max_bit_rate"):
            stream.pop(changing, None)
    return {"pictures": sha(pictures), "sound": sha(packets),
            "streams": sha(json.dumps(streams, sort_keys=True).encode())}


def run(program, clip, options, extension, device, folder):
    """Runs the program. Returns this run's row of the record."""
    for old in folder.iterdir():
        old.unlink()
    command = [program, "run", clip, "--device", device, *options.split(), "--detections",
               folder / "d.jsonl", "--report", folder / "r.json", "--progress", "none"]
    video = folder / f"o{extension}"
    command += ["-o", video] if extension else ["--no-video"]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT_S, check=False)
    said = [line.replace(str(folder), "OUT").replace(str(clip.parent), "IN")
            for line in done.stderr.decode(errors="replace").splitlines()
            if line.startswith(("facepipe: warning", "facepipe: error"))]
    row = {"exit": done.returncode, "said": sorted(said),
           "left": sorted(path.name for path in folder.iterdir())}
    if (folder / "r.json").exists():
        entry = json.loads((folder / "r.json").read_text())[0]
        for field in ("status", "frames", "faces", "candidates", "size", "network_size", "decoder",
                      "encoder", "video_codec", "container"):
            row[field] = entry[field]
    if (folder / "d.jsonl").exists():
        row["detections"] = sha((folder / "d.jsonl").read_bytes().replace(
            str(clip.parent).encode(), b"IN"))
    if extension and video.exists():
        row |= describe_video(video)
    return row


def record(options):
    rows = {}
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as out:
        clips = options.clips or pathlib.Path(made)
        if not (clips / "text.mp4").exists():
            clips.mkdir(exist_ok=True)
            make_clips(clips)
        runs = {name: (clips / clip, words, extension)
                for name, (clip, words, extension) in RUNS.items()}
        if options.streams:
            runs |= {f"stream {path.name}": (path, "--draw none --preset ultrafast", ".mkv")
                     for path in sorted(options.streams.iterdir()) if path.is_file()}
        for name, (clip, words, extension) in runs.items():
            rows[name] = run(options.program, clip, f"{words} {options.options}", extension,
                             options.device, pathlib.Path(out))
            print(f"{rows[name]['exit']:4} {name}", flush=True)
    return rows


def differences(before, after):
    lines = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            lines.append(f"{name}: only {'after' if old is None else 'before'}")
            continue
        lines += [f"{name}: {field}: {old.get(field)} -> {new.get(field)}"
                  for field in sorted(old.keys() | new.keys()) if old.get(field) != new.get(field)]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, required=True, help="the record to write")
    parser.add_argument("--compare", type=pathlib.Path, help="an earlier record")
    parser.add_argument("--program", type=pathlib.Path,
                        default=measurement.REPOSITORY / "build" / "facepipe")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--options", default="", help="more options of every run")
    parser.add_argument("--clips", type=pathlib.Path, help="where clips are, or are made")
    parser.add_argument("--streams", type=pathlib.Path, help="a folder of more inputs")
    options = parser.parse_args()
    rows = record(options)
    options.to.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
    if not options.compare:
        return 0
    found = differences(json.loads(options.compare.read_text()), rows)
    print("\n".join(found) or "no difference")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
