#!/usr/bin/env python3
"""Compares facepipe's CUDA engine with PyTorch in one run, on one device, in f16 with batch 1.

One replay of a CUDA graph takes facepipe's engine from a frame (NV12) in device memory to candidates in device memory;
its network is also measured separately. PyTorch (channels last, cuDNN's own choice of algorithms) runs the operators of
the same ONNX file. It begins at an input tensor and ends at the output tensors: it doesn't preprocess and doesn't
decode faces. It is called directly, as one CUDA graph, and with --compile through torch.compile. The script measures
five groups of 100 calls in a row, and shows the best and the median mean of a group. --opencv also measures OpenCV's
dnn on the device in f32 and f16 (in a build with FACEPIPE_OPENCV), from bytes in host memory to outputs in host memory,
and from frames in host memory to candidates. If PyTorch or onnx isn't installed, only facepipe's engine is measured.
"""
import pathlib
import statistics

import measurement

GROUPS, CALLS = 5, 100


def arguments_given():
    options = measurement.parser(__doc__)
    options.add_argument("models", nargs="+", type=pathlib.Path, metavar="MODEL.onnx",
                         help="CenterFace or YuNet")
    measurement.add_program(options, "bench_detector_cuda")
    options.add_argument("--sizes", default="1920x1080,3840x2160",
                         help="of frames; networks have the next multiples of 32 (default: %(default)s)")
    measurement.add_program(options, "bench_opencv_cuda")
    options.add_argument("--opencv", action="store_true", help="OpenCV's dnn, too")
    options.add_argument("--compile", action="store_true", help="torch.compile, too")
    return options.parse_args()


def load_torch():
    try:
        import onnx
        import torch
    except ImportError:
        return None
    return (onnx, torch) if torch.cuda.is_available() else None


def network_sizes(text):
    for word in text.split(","):
        width, height = (-(-int(side) // 32) * 32 for side in word.split("x"))
        yield width, height


def convolve(torch, x, weights, bias, given):
    top, left, bottom, right = given.get("pads", [0, 0, 0, 0])
    padding = (top, left)
    if (top, left) != (bottom, right):
        x, padding = torch.nn.functional.pad(x, (left, right, top, bottom)), 0
    return torch.nn.functional.conv2d(x, weights, bias, given.get("strides", [1, 1]), padding, 1,
                                      given.get("group", 1))


def operator(torch, kind, x, given):
    """Computes one node of the ONNX file with torch, from the node's inputs `x` and its attributes `given`."""
    functional = torch.nn.functional
    optional = x[2] if len(x) > 2 else None
    if kind == "Conv":
        return convolve(torch, x[0], x[1], optional, given)
    if kind == "ConvTranspose":
        return functional.conv_transpose2d(x[0], x[1], optional, given["strides"])
    if kind == "BatchNormalization":
        return functional.batch_norm(x[0], x[3], x[4], x[1], x[2], False, 0.0, given["epsilon"])
    if kind == "MaxPool":
        return functional.max_pool2d(x[0], given["kernel_shape"], given["strides"])
    if kind == "Resize":
        return functional.interpolate(x[0], scale_factor=2, mode="nearest")
    if kind == "Reshape":
        return x[0].reshape(1, -1, x[0].shape[-1])
    if kind == "Transpose":
        return x[0].permute(given["perm"])
    simple = {"Relu": functional.relu, "Sigmoid": torch.sigmoid, "Add": torch.add}
    if kind not in simple:
        raise SystemExit(f"no operator of torch is known for {kind}")
    return simple[kind](*x)


def ready(torch, array):
    """Copies an array to the device, with the element type and memory layout with which PyTorch is fastest."""
    tensor = torch.from_numpy(array).cuda()
    if tensor.is_floating_point():
        tensor = tensor.half()
    return tensor.to(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor


def network_in_torch(onnx, torch, file):
    graph = onnx.load(file).graph
    weights = {tensor.name: ready(torch, onnx.numpy_helper.to_array(tensor).copy())
               for tensor in graph.initializer}
    nodes = [(node.op_type, [name for name in node.input if name], node.output[0],
              {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute})
             for node in graph.node]
    image = next(value.name for value in graph.input if value.name not in weights)
    outputs = [value.name for value in graph.output]

    def run(x):
        values = {**weights, image: x}
        for kind, inputs, output, given in nodes:
            values[output] = operator(torch, kind, [values[name] for name in inputs], given)
        return [values[name] for name in outputs]
    return run


def timed(torch, call):
    """Returns the milliseconds of one call: that of the best group, and that of the median group."""
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    means = []
    for _ in range(GROUPS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(CALLS):
            call()
        end.record()
        end.synchronize()
        means.append(begin.elapsed_time(end) / CALLS)
    return f"{min(means):.4f} best, {statistics.median(means):.4f} median"


def as_graph(torch, call):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


def measure_torch(modules, file, arguments):
    onnx, torch = modules
    torch.backends.cudnn.benchmark = True
    rows = []
    with torch.inference_mode():
        run = network_in_torch(onnx, torch, file)
        for width, height in network_sizes(arguments.sizes):
            x = (torch.rand(1, 3, height, width, device="cuda") * 255).half()
            x = x.to(memory_format=torch.channels_last)
            calls = {"as called": lambda: run(x), "one graph": as_graph(torch, lambda: run(x))}
            if arguments.compile:
                compiled = torch.compile(run, dynamic=False)
                compiled(x)
                calls["torch.compile, one graph"] = as_graph(torch, lambda: compiled(x))
            rows += [f"PyTorch {width}x{height}, {name:<26} {timed(torch, call)}"
                     for name, call in calls.items()]
    return "\n".join(rows) + "\n"


def main():
    arguments = arguments_given()
    modules = load_torch()
    parts = []
    for file in arguments.models:
        for words, what in ([], ""), (["--plain"], ", a kernel for each operator"):
            ours = measurement.run([arguments.bench_detector_cuda, file, "--sizes", arguments.sizes, *words])
            parts.append(f"{file.name}{what}, ms\n{ours.output}")
        for precision in ("f32", "f16") if arguments.opencv else ():
            peer = measurement.run([arguments.bench_opencv_cuda, file, precision, "--sizes", arguments.sizes])
            parts.append(f"{file.name}, OpenCV's dnn, {precision}\n{peer.output}")
        if modules:
            parts.append(measure_torch(modules, file, arguments))
    peer = (f"torch {modules[1].__version__}, cuDNN {modules[1].backends.cudnn.version()}"
            if modules else "no PyTorch with CUDA and onnx in this Python")
    measurement.write_result(arguments, {"device": measurement.gpu(), "peer": peer}, "\n".join(parts))


if __name__ == "__main__":
    main()
