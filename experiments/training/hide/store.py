"""Holds the pictures of the packs on the device, and finds what the published network takes for faces in them."""
import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

import pack
from draws import Source
from mistakes import MISTAKEN, sorted_out
from network import detect
from pictures import all_decoded


class Store:
    """Pictures lie in the upper left corner of square canvases, at their size and at half of it."""

    def __init__(self, packs, device, threads):
        entries = [entry for path in packs for entry in pack.read(path)[0]]
        self.device = device
        self.pictures = [picture for picture, _ in entries]
        longest = max(max(picture.width, picture.height) for picture in self.pictures)
        self.canvas = -(-longest // 32) * 32
        self.whole = torch.zeros(len(entries), 3, self.canvas, self.canvas, dtype=torch.uint8, device=device)
        self.halved = torch.zeros(len(entries), 3, self.canvas // 2, self.canvas // 2, dtype=torch.uint8, device=device)
        for number, picture in enumerate(all_decoded([jpeg for _, jpeg in entries], threads)):
            picture = picture.to(device)
            self.whole[number, :, :picture.shape[1], :picture.shape[2]] = picture
            self.halved[number] = F.avg_pool2d(self.whole[number].float(), 2).round().byte()

    def sources(self, published, mined):
        """Returns what is known of the pictures, with the mistakes of the published network. The file `mined` keeps
        them for the next training; if it exists already, nothing is searched."""
        if mined and mined.exists():
            found = json.loads(mined.read_text(encoding="utf-8"))
        else:
            found = {self.key(picture): [one.tolist() for one in self.searched(published, number)]
                     for number, picture in enumerate(self.pictures)}
            if mined:
                mined.write_text(json.dumps(found), encoding="utf-8")
        return [self.source(picture, *found[self.key(picture)]) for picture in self.pictures]

    @staticmethod
    def key(picture):
        return f"{picture.kind} {picture.file}"

    def searched(self, published, number):
        picture = self.pictures[number]
        seen = self.whole[number, :, :picture.height, :picture.width]
        labelled = np.concatenate([picture.boxes, picture.ignore])
        return sorted_out(*detect(published, seen, MISTAKEN), labelled)

    @staticmethod
    def source(picture, mistakes, unlabelled):
        extra = np.array(unlabelled, np.float32).reshape(-1, 4)
        return Source(picture.width, picture.height, picture.boxes, np.concatenate([picture.ignore, extra]),
                      np.array(mistakes, np.float32).reshape(-1, 4), picture.kind == "frame")


def load(packs, device, threads, published, mined=None):
    """Returns the store, and what is known of its pictures."""
    store = Store([pathlib.Path(path) for path in packs], device, threads)
    return store, store.sources(published, mined)
