// Runs the operators of a graph as plain loops over floats. This code is slow, and serves as the
// oracle for graph passes and engines.
#pragma once

#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::test {

using Tensor = std::vector<float>;

/// Computes one node's outputs from its inputs. All tensors are in ONNX's order (channels
/// outermost). Sums are in double precision. The graph's shapes must already be inferred.
[[nodiscard]] std::vector<Tensor> interpret_node(const detector::graph::Graph& graph,
                                                 const detector::graph::Node& node,
                                                 const std::vector<const Tensor*>& inputs);

/// Runs a graph with one input. Returns every value, indexed by ValueId.
[[nodiscard]] std::vector<Tensor> interpret(const detector::graph::Graph& graph,
                                            const Tensor& input);

/// Returns the graph's outputs in their order, each in the layout that the graph states for it.
[[nodiscard]] std::vector<Tensor> interpret_outputs(const detector::graph::Graph& graph,
                                                    const Tensor& input);

}  // namespace facepipe::test
