// Imports ONNX files as a graph::Graph.
#pragma once

#include <string>

#include "detector/cnn/model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace facepipe::detector::graph {

/// Reads `bytes`, an ONNX model of one picture 1 x 3 x H x W from the file `source`. Doesn't infer
/// shapes. The known operators are: Conv (without dilation), ConvTranspose (kernel equal to stride,
/// no padding, one group), BatchNormalization, Relu, LeakyRelu, Sigmoid, Add and Mul (of two
/// values), MaxPool, Resize (nearest, a whole factor on both axes), Concat and Split (of channels,
/// into constant parts), Transpose, Reshape. In addition, these operators become a RowOperator:
/// Add, Sub, Mul, Div and Mod (of values or weights), Exp, Sqrt, Floor, Cast (to f32 or integers),
/// Softmax, MatMul, Concat, Split and Slice (constant), Unsqueeze, Squeeze, Flatten, Expand and
/// Tile (constant), ReduceMax, ArgMax, TopK (constant number), Gather, GatherElements, GatherND.
/// Other weights must be floats of the file. Throws Error(device), naming the source, the node and
/// its operator, for anything else, and for numbers that no network has. Memory is allocated only
/// after its size was checked.
[[nodiscard]] Graph import_onnx(const std::string& bytes, const std::string& source);
[[nodiscard]] Graph import_onnx(const onnx::ModelProto& model, const std::string& source);

}  // namespace facepipe::detector::graph
