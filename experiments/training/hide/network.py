#!/usr/bin/env python3
"""CenterFace in PyTorch: the graph and the weights of its ONNX file, and back.

    experiments/training/hide/network.py MODEL.onnx PICTURE.jpg     compares PyTorch's outputs with onnxruntime's

The outputs have a cell for 4x4 pixels: heat (probability of a face's centre), logarithms of height and width in
cells, offsets of the centre in y and x in cells from the cell's middle, and landmarks.
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

import onnx_file
from boxes import CELL, SUPPRESSED_FROM, suppressed

MULTIPLE = 32        # the sides of the network's input are multiples of this number
MOST_CANDIDATES = 6000


def parameter_name(name):
    return "w_" + name.replace(".", "_")


class Network(nn.Module):
    """Computes the nodes of the ONNX file in their order. Statistics of batch normalisation stay as they are."""

    def __init__(self, path):
        super().__init__()
        self.model = onnx_file.read(path)
        if len(self.model.inputs) != 1 or len(self.model.outputs) != 4:
            raise onnx_file.Refused(f"{path}: not CenterFace: it has {len(self.model.outputs)} outputs")
        self.trained = {}
        for node in self.model.nodes:
            for place, name in enumerate(node.inputs):
                if name not in self.model.weights or name in self.trained:
                    continue
                values = torch.from_numpy(self.model.weights[name].copy())
                if node.kind == "BatchNormalization" and place > 2:
                    self.register_buffer(parameter_name(name), values)
                else:
                    self.register_parameter(parameter_name(name), nn.Parameter(values))
                    self.trained[name] = parameter_name(name)

    def value(self, name):
        return getattr(self, parameter_name(name))

    def forward(self, pictures, logits=False):
        """Takes RGB of 0 to 255, pictures x 3 x rows x columns. `logits`: heat as logits instead of probabilities."""
        values = {self.model.inputs[0]: pictures}
        for node in self.model.nodes:
            values[node.outputs[0]] = self.computed(node, values[node.inputs[0]], values, logits)
        return [values[name] for name in self.model.outputs]

    def computed(self, node, first, values, logits):
        attributes = node.attributes
        if node.kind in ("Conv", "ConvTranspose"):
            weight = self.value(node.inputs[1])
            bias = self.value(node.inputs[2]) if len(node.inputs) > 2 else None
            strides, pads = attributes["strides"], attributes["pads"][:2]
            if node.kind == "Conv":
                return F.conv2d(first, weight, bias, strides, pads, attributes["dilations"], attributes["group"])
            return F.conv_transpose2d(first, weight, bias, strides, pads, 0, attributes["group"],
                                      attributes["dilations"])
        if node.kind == "BatchNormalization":
            scale, shift, mean, variance = map(self.value, node.inputs[1:])
            factor = scale * torch.rsqrt(variance + attributes["epsilon"])
            return first * factor.view(1, -1, 1, 1) + (shift - mean * factor).view(1, -1, 1, 1)
        if node.kind == "Relu":
            return F.relu(first)
        if node.kind == "Add":
            return first + values[node.inputs[1]]
        if node.kind == "Sigmoid":
            return first if logits else torch.sigmoid(first.float())
        raise onnx_file.Refused(f"operator {node.kind} is not supported")

    def weights(self):
        """Returns {name in the ONNX file: array} of what is trained."""
        return {name: getattr(self, own).detach().float().cpu().numpy() for name, own in self.trained.items()}


def save(stem, model, weights):
    """Writes STEM.f16.onnx with weights of f16, and STEM.onnx with the same values as f32. The second file is for
    programs that read no f16 weights; its graph is the published one, byte for byte."""
    onnx_file.write_half(f"{stem}.f16.onnx", model, weights)
    onnx_file.write(f"{stem}.onnx", model, onnx_file.as_half(model, weights))


def mixed(published, trained, share):
    """Returns the weights between two sets: `share` of the trained ones, and the rest of the published ones."""
    return {name: (1 - share) * published[name] + share * trained[name] for name in published}


def stretched(picture):
    """Returns a picture, 3 x rows x columns of 0 to 255, as the network's input: stretched to multiples of 32."""
    height, width = picture.shape[1:]
    size = [max(MULTIPLE, round(side / MULTIPLE) * MULTIPLE) for side in (height, width)]
    pictures = picture[None].float()
    if size == [height, width]:
        return pictures
    return F.interpolate(pictures, size=size, mode="bilinear", align_corners=False)


@torch.no_grad()
def detect(network, picture, least_score):
    """Returns the found boxes and their scores, in pixels of the picture, by falling score."""
    shown = stretched(picture)
    heat, scale, offset, _ = network(shown)
    row, column = torch.nonzero(heat[0, 0] > least_score, as_tuple=True)
    scores = heat[0, 0, row, column]
    if len(scores) > MOST_CANDIDATES:
        best = scores.topk(MOST_CANDIDATES).indices
        row, column, scores = row[best], column[best], scores[best]
    half = scale[0, :, row, column].float().exp() * CELL / 2
    y = (row + offset[0, 0, row, column].float() + .5) * CELL
    x = (column + offset[0, 1, row, column].float() + .5) * CELL
    height, width = shown.shape[2:]
    found = torch.stack([(x - half[1]).clamp(0, width), (y - half[0]).clamp(0, height),
                         (x + half[1]).clamp(0, width), (y + half[0]).clamp(0, height)], 1)
    found = found * found.new_tensor([picture.shape[2] / width, picture.shape[1] / height] * 2)
    return without_doubles(found, scores.float())


def without_doubles(found, scores):
    """Suppresses on the device if torchvision is there, because the plain loop takes long for crowds."""
    try:
        from torchvision.ops import nms
    except ImportError:
        found, scores = found.cpu().numpy(), scores.cpu().numpy()
        kept = suppressed(found, scores)
        return found[kept], scores[kept]
    kept = nms(found, scores, SUPPRESSED_FROM)
    return found[kept].cpu().numpy(), scores[kept].cpu().numpy()


def difference(path, picture):
    """Returns the largest absolute difference of each output from onnxruntime's."""
    import onnxruntime  # imported here, because only this check needs it
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # it warns of each weight that is also an input
    options.intra_op_num_threads = 1
    network = Network(path).eval()
    session = onnxruntime.InferenceSession(onnx_file.without_extents(network.model), options,
                                           providers=["CPUExecutionProvider"])
    shown = stretched(picture)
    with torch.no_grad():
        own = network(shown)
    theirs = session.run(None, {network.model.inputs[0]: shown.numpy()})
    return [float(abs(a.numpy() - b).max()) for a, b in zip(own, theirs)]


def main():
    from pictures import decoded  # imported here, because pictures.py needs more packages
    if len(sys.argv) != 3:
        sys.exit("usage: network.py MODEL.onnx PICTURE.jpg")
    try:
        found = difference(sys.argv[1], decoded(pathlib.Path(sys.argv[2]).read_bytes()))
    except ModuleNotFoundError as missing:
        sys.exit(f"network: needs {missing.name}, which this Python lacks")
    except onnx_file.Refused as refused:
        sys.exit(f"network: {refused}")
    except OSError as error:
        sys.exit(f"network: {error.filename}: {error.strerror}")
    print("largest differences of heat, sizes, offsets, landmarks:", *(f"{one:.1e}" for one in found))
    sys.exit(0 if max(found) < 1e-4 else "network: an output differs by 1e-4 or more")


if __name__ == "__main__":
    main()
