#!/usr/bin/env python3
"""Reads the graph and the weights of an ONNX file, and writes the file with other weights.

    experiments/training/hide/onnx_file.py MODEL.onnx OUT.f16.onnx     writes the model with weights of f16

An ONNX file is a message in the wire format of Protocol Buffers. This module knows only the few fields that it needs
and copies all other bytes as they are, so the graph of a written file is exactly the graph that was read. It needs
numpy, but no package for ONNX.
"""
import math
import pathlib
import struct
import sys
from dataclasses import dataclass

import numpy as np

VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5  # wire types of fields
MODEL_GRAPH = 7                                      # fields of ModelProto
GRAPH_NODE, GRAPH_WEIGHTS, GRAPH_INPUT, GRAPH_OUTPUT = 1, 5, 11, 12  # fields of GraphProto
FLOAT, INT64, FLOAT16 = 1, 7, 10                     # data types of TensorProto
NUMBERS = {FLOAT: np.dtype("<f4"), INT64: np.dtype("<i8"), FLOAT16: np.dtype("<f2")}


class Refused(Exception):
    """Says why a file can't be used. The text names the file."""


@dataclass
class Node:
    kind: str
    inputs: list
    outputs: list
    attributes: dict  # integers, floats, texts, or lists of integers


@dataclass
class Model:
    nodes: list
    weights: dict   # name: array; their order is the file's
    inputs: list    # names of the inputs that aren't weights
    outputs: list
    fields: list    # all fields of the file, see fields_of()


# --- The wire format ------------------------------------------------------------------------------------


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError("a number is too long")


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields_of(data):
    """Returns the fields of a message as [(number, wire type, value)]. The value of a varint is an integer, and that of
    all other types is bytes."""
    at, fields = 0, []
    while at < len(data):
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = read_varint(data, at)
        else:
            if wire == BYTES:
                size, at = read_varint(data, at)
            elif wire in (EIGHT_BYTES, FOUR_BYTES):
                size = 8 if wire == EIGHT_BYTES else 4
            else:
                raise ValueError(f"wire type {wire}")
            if at + size > len(data):
                raise ValueError("a field is cut off")
            value, at = data[at:at + size], at + size
        fields.append((number, wire, value))
    return fields


def message(fields):
    """Returns the bytes of a message. It is the inverse of fields_of()."""
    out = bytearray()
    for number, wire, value in fields:
        out += varint(number << 3 | wire)
        if wire == VARINT:
            out += varint(value)
        else:
            if wire == BYTES:
                out += varint(len(value))
            out += value
    return bytes(out)


def all_of(fields, number):
    return [value for n, _, value in fields if n == number]


def texts(fields, number):
    return [value.decode() for value in all_of(fields, number)]


def first(fields, number, otherwise):
    found = all_of(fields, number)
    return found[0] if found else otherwise


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def integers(fields, number):
    """Returns a repeated field of integers, which may be packed into bytes."""
    found = []
    for n, wire, value in fields:
        if n != number:
            continue
        at = 0
        while wire == BYTES and at < len(value):
            one, at = read_varint(value, at)
            found.append(signed(one))
        if wire == VARINT:
            found.append(signed(value))
    return found


# --- Graphs and weights -----------------------------------------------------------------------------------


def read_attribute(fields):
    name = first(fields, 1, b"").decode()
    kind = first(fields, 20, 0)
    if kind == 1:
        return name, struct.unpack("<f", first(fields, 2, b"\0\0\0\0"))[0]
    if kind == 2:
        return name, signed(first(fields, 3, 0))
    if kind == 3:
        return name, first(fields, 4, b"").decode()
    if kind == 7:
        return name, integers(fields, 8)
    raise ValueError(f"attribute {name} has a type that isn't supported")


def read_node(data):
    fields = fields_of(data)
    attributes = dict(read_attribute(fields_of(one)) for one in all_of(fields, 5))
    return Node(first(fields, 4, b"").decode(), texts(fields, 1), texts(fields, 2), attributes)


def read_tensor(data):
    """Returns the name and the array of a TensorProto. Arrays of f16 are returned as f32."""
    fields = fields_of(data)
    name, kind, shape = first(fields, 8, b"").decode(), first(fields, 2, 0), integers(fields, 1)
    if kind not in NUMBERS:
        raise ValueError(f"weights {name} have a type that isn't supported")
    if kind == FLOAT and all_of(fields, 4):
        raw = b"".join(value if wire in (BYTES, FOUR_BYTES) else b"" for n, wire, value in fields if n == 4)
    elif kind == INT64 and all_of(fields, 7):
        raw = np.array(integers(fields, 7), NUMBERS[INT64]).tobytes()
    else:
        raw = first(fields, 9, b"")
    array = np.frombuffer(raw, NUMBERS[kind])
    if array.size != math.prod(shape):
        raise ValueError(f"the data of weights {name} don't fit their extents")
    return name, (array.astype("<f4") if kind == FLOAT16 else array).reshape(shape)


def read(path):
    """Reads a file. Throws Refused if it isn't an ONNX file of the kind that this module knows."""
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from None
    try:
        return parsed(data)
    except (ValueError, IndexError, struct.error) as error:
        raise Refused(f"{path}: no ONNX file that can be read: {error}") from None


def parsed(data):
    fields = fields_of(data)
    graphs = all_of(fields, MODEL_GRAPH)
    if len(graphs) != 1:
        raise ValueError("it has no graph")
    graph = fields_of(graphs[0])
    weights = dict(read_tensor(one) for one in all_of(graph, GRAPH_WEIGHTS))
    nodes = [read_node(one) for one in all_of(graph, GRAPH_NODE)]
    names = {number: [first(fields_of(one), 1, b"").decode() for one in all_of(graph, number)]
             for number in (GRAPH_INPUT, GRAPH_OUTPUT)}
    inputs = [name for name in names[GRAPH_INPUT] if name not in weights]
    return Model(without_widening(nodes, weights), weights, inputs, names[GRAPH_OUTPUT], fields)


# --- Files with other weights -----------------------------------------------------------------------------


def tensor(name, array, kind):
    data = np.ascontiguousarray(array, NUMBERS[kind]).tobytes()
    return message([(1, VARINT, extent) for extent in array.shape]
                   + [(2, VARINT, kind), (8, BYTES, name.encode()), (9, BYTES, data)])


def with_data(value, data):
    """Returns a TensorProto with other numbers, in the field that had the numbers before."""
    return message([(number, BYTES, data) if number in (4, 9) else (number, wire, old)
                    for number, wire, old in fields_of(value)])


def write(path, model, weights):
    """Writes the model with new values for some of its f32 weights, {name: array}. All else keeps its bytes."""
    def changed(number, wire, value):
        if number != GRAPH_WEIGHTS:
            return number, wire, value
        name, old = read_tensor(value)
        if name not in weights:
            return number, wire, value
        if weights[name].shape != old.shape:
            raise ValueError(f"{path}: weights {name} have other extents")
        return number, wire, with_data(value, np.ascontiguousarray(weights[name], NUMBERS[FLOAT]).tobytes())
    write_graph(path, model, [changed(*field) for field in graph_of(model)])


HALF = "_f16"  # ends the names of weights of f16


def write_half(path, model, weights):
    """Writes the model like write(), but with f16 weights, which take half of the space.

    A node Cast makes f32 of the weights of each tensor, because ONNX allows no operator with f32 inputs and f16
    weights. Weights that no node reads, such as counters of the training, are left out, also as inputs.
    """
    read_by_nodes = {name for node in model.nodes for name in node.inputs}
    casts, rest = [], []
    for number, wire, value in graph_of(model):
        if number == GRAPH_INPUT and first(fields_of(value), 1, b"").decode() in model.weights:
            continue
        if number != GRAPH_WEIGHTS:
            rest.append((number, wire, value))
            continue
        name, old = read_tensor(value)
        if name not in read_by_nodes:
            continue
        array = weights.get(name, old)
        rest.append((GRAPH_WEIGHTS, BYTES, tensor(name + HALF, array.astype(np.float16), FLOAT16)))
        to = message([(1, BYTES, b"to"), (3, VARINT, FLOAT), (20, VARINT, 2)])
        casts.append((GRAPH_NODE, BYTES, message([(1, BYTES, (name + HALF).encode()), (2, BYTES, name.encode()),
                                                  (3, BYTES, ("widen_" + name).encode()), (4, BYTES, b"Cast"),
                                                  (5, BYTES, to)])))
    write_graph(path, model, casts + rest)


def without_widening(nodes, weights):
    """Returns the nodes without those that widen f16 weights. Gives the weights their usual names back."""
    kept = []
    for node in nodes:
        if node.kind == "Cast" and node.inputs == [node.outputs[0] + HALF] and node.inputs[0] in weights:
            weights[node.outputs[0]] = weights.pop(node.inputs[0])
        else:
            kept.append(node)
    return kept


def as_half(model, weights):
    """Returns the values that write_half() stores, as f32: {name: array} of the f32 weights that nodes read."""
    read_by_nodes = {name for node in model.nodes for name in node.inputs}
    return {name: weights.get(name, old).astype(np.float16).astype(np.float32)
            for name, old in model.weights.items() if name in read_by_nodes}


def without_extents(model):
    """Returns the bytes of the model without the extents of its inputs and outputs. Exporters often store the extents
    of an example, and onnxruntime then refuses pictures of another size."""
    def changed(number, wire, value):
        if number not in (GRAPH_INPUT, GRAPH_OUTPUT):
            return number, wire, value
        name = first(fields_of(value), 1, b"").decode()
        numbers = message([(1, VARINT, FLOAT)])
        kept = [(1, BYTES, name.encode()), (2, BYTES, message([(1, BYTES, numbers)]))]
        return (number, wire, value) if name in model.weights else (number, wire, message(kept))
    return bytes_with(model, [changed(*field) for field in graph_of(model)])


def graph_of(model):
    return fields_of(first(model.fields, MODEL_GRAPH, b""))


def bytes_with(model, graph):
    return message([(number, wire, message(graph) if number == MODEL_GRAPH else value)
                    for number, wire, value in model.fields])


def write_graph(path, model, graph):
    pathlib.Path(path).write_bytes(bytes_with(model, graph))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: onnx_file.py MODEL.onnx OUT.f16.onnx")
    try:
        model = read(sys.argv[1])
        write_half(sys.argv[2], model, {})
    except Refused as refused:
        sys.exit(f"onnx_file: {refused}")
    except OSError as error:
        sys.exit(f"onnx_file: {error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
