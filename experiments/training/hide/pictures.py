"""Decodes JPEG files to tensors, with torchvision or Pillow."""
import concurrent.futures

import numpy as np
import torch

from onnx_file import Refused


def decoded(jpeg):
    """Returns RGB of 0 to 255, 3 x rows x columns."""
    try:
        from torchvision.io import ImageReadMode, decode_jpeg
    except ImportError:
        return decoded_by_pillow(jpeg)
    return decode_jpeg(torch.frombuffer(bytearray(jpeg), dtype=torch.uint8), mode=ImageReadMode.RGB)


def decoded_by_pillow(jpeg):
    import io
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise Refused("needs torchvision or Pillow, which this Python lacks") from None
    with Image.open(io.BytesIO(jpeg)) as picture:
        return torch.from_numpy(np.array(picture.convert("RGB"))).permute(2, 0, 1).contiguous()


def all_decoded(jpegs, threads):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        yield from pool.map(decoded, jpegs)
