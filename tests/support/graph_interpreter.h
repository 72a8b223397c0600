// The small graph's operators as plain loops over floats: slow, and the oracle of passes and
// engines.
#pragma once

#include <span>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::test {

using Tensor = std::vector<float>;

/// What one node computes of its inputs, each in the order of ONNX (channels outermost); sums in
/// double. The graph's shapes must be inferred.
[[nodiscard]] std::vector<Tensor> interpret_node(const detector::graph::Graph& graph,
                                                 const detector::graph::Node& node,
                                                 const std::vector<const Tensor*>& inputs);

/// Every value of a graph for one input, by ValueId.
[[nodiscard]] std::vector<Tensor> interpret(const detector::graph::Graph& graph,
                                            const Tensor& input);

/// The graph's outputs in its order, with the layout that each promises.
[[nodiscard]] std::vector<Tensor> interpret_outputs(const detector::graph::Graph& graph,
                                                    const Tensor& input);

}  // namespace facepipe::test
