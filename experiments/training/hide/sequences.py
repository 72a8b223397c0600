"""Frames of short videos that a camera takes of a picture: it moves while the shutter is open, and the video is encoded
as H.264. The faces' boxes are known exactly, because the way of the camera is."""
import pathlib
import subprocess
import tempfile

import numpy as np
from PIL import Image

import boxes as geometry

SIZE = 640           # pixels of a side of a frame
FRAMES = 4           # frames of a sequence; the last one is taken
MOMENTS = 4          # pictures whose mean is a frame: the camera moves while the shutter is open
SHOTS = 12           # sequences that are encoded as one video
CRFS = (28, 40)
SLOWEST, FASTEST = 2, 40   # pixels that the camera moves from frame to frame
OPEN = .5            # the part of a frame's time in which the shutter is open


def camera(random, width, height, faces):
    """Returns the scale, and the places of the frame's corner in the scaled picture: frames x moments x (x, y)."""
    size = np.array([width, height], float)
    scale = np.exp(random.uniform(np.log(.8), np.log(2.)))
    scale = max(scale, (SIZE + FASTEST) / size.min())
    room = size * scale - SIZE
    angle = random.uniform(0, 2 * np.pi)
    step = np.array([np.cos(angle), np.sin(angle)]) * np.exp(random.uniform(np.log(SLOWEST), np.log(FASTEST)))
    times = np.arange(FRAMES)[:, None] + OPEN * (np.arange(MOMENTS) / (MOMENTS - 1) - .5)
    end = random.uniform(0, 1, 2) * room
    if len(faces):
        face = faces[random.integers(len(faces))]
        end = (face[:2] + face[2:]) / 2 * scale - random.uniform(.15, .85, 2) * SIZE
    end = np.clip(end, 0, room)
    return scale, np.clip(end + (times - (FRAMES - 1))[..., None] * step, 0, room)


def shot(random, picture, faces):
    """Returns the frames of a sequence, the scale of the picture in them, and the corner of the last frame."""
    scale, corners = camera(random, *picture.size, faces)
    frames = []
    for moments in corners:
        mean = np.zeros((SIZE, SIZE, 3), np.float32)
        for x, y in moments:
            seen = picture.transform((SIZE, SIZE), Image.Transform.AFFINE,
                                     (1 / scale, 0, x / scale, 0, 1 / scale, y / scale), Image.Resampling.BILINEAR)
            mean += np.asarray(seen, np.float32)
        frames.append(np.rint(mean / MOMENTS).astype(np.uint8))
    return frames, scale, corners[-1].mean(0)


def encoded(frames, crf):
    """Returns the frames after encoding them as H.264 and decoding them."""
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", f"{SIZE}x{SIZE}"]
    quiet = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y"]
    with tempfile.TemporaryDirectory() as folder:
        video = pathlib.Path(folder) / "video.mp4"
        subprocess.run([*quiet, *raw, "-framerate", "25", "-i", "pipe:0", "-c:v", "libx264", "-preset", "veryfast",
                        "-crf", str(crf), "-threads", "1", "-pix_fmt", "yuv420p", video],
                       input=b"".join(frame.tobytes() for frame in frames), check=True)
        ended = subprocess.run([*quiet, "-threads", "1", "-i", video, "-fps_mode", "passthrough", *raw[:4], "pipe:1"],
                               stdout=subprocess.PIPE, check=True)
    return np.frombuffer(ended.stdout, np.uint8).reshape(-1, SIZE, SIZE, 3)


def moved(faces, scale, corner):
    """Returns faces of the picture as boxes of the frame, and the share of each box in the frame."""
    return geometry.clipped(geometry.turned(faces, np.eye(2) * scale, -corner), SIZE)
