// Runs the small graph's operators as plain loops over floats. It is slow, and the oracle of passes
// and engines.
#pragma once

#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::test {

using Tensor = std::vector<float>;

/// Computes one node's outputs from its inputs, each in the order of ONNX (channels outermost).
/// Sums are in double. The graph's shapes must be inferred.
[[nodiscard]] std::vector<Tensor> interpret_node(const detector::graph::Graph& graph,
                                                 const detector::graph::Node& node,
                                                 const std::vector<const Tensor*>& inputs);

/// Returns every value of a graph for one input, by ValueId.
[[nodiscard]] std::vector<Tensor> interpret(const detector::graph::Graph& graph,
                                            const Tensor& input);

/// Returns the graph's outputs in its order, each with the layout that it promises.
[[nodiscard]] std::vector<Tensor> interpret_outputs(const detector::graph::Graph& graph,
                                                    const Tensor& input);

}  // namespace facepipe::test
