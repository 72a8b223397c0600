// Builds small graphs with random weights, for tests.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "detector/cnn/model/graph/graph.h"
#include "tests/support/graph_interpreter.h"

namespace facepipe::test {

/// Holds those properties of a convolution that a test chooses. The weights are random.
struct ConvolutionSpec {
  int outputs = 8;
  int kernel = 1;
  int stride = 1;
  int pad = 0;
  bool depthwise = false;  ///< true: `outputs` is also the number of inputs
  detector::graph::Activation activation = detector::graph::Activation::none;
};

/// Builds a graph whose nodes are in the order of the calls. Weights are scaled so that values keep
/// their magnitude.
class GraphBuilder {
 public:
  GraphBuilder(int channels, Size size, unsigned seed);

  [[nodiscard]] detector::graph::ValueId input() const { return graph_.input; }
  detector::graph::ValueId convolution(detector::graph::ValueId x, const ConvolutionSpec& spec,
                                       const std::vector<detector::graph::ValueId>& residual = {});
  detector::graph::ValueId transposed(detector::graph::ValueId x, int outputs,
                                      detector::graph::Activation activation,
                                      const std::vector<detector::graph::ValueId>& residual = {});
  detector::graph::ValueId batch_norm(detector::graph::ValueId x);
  /// Appends a node whose operator has one output and no weights.
  detector::graph::ValueId node(detector::graph::Operator op,
                                const std::vector<detector::graph::ValueId>& inputs);
  /// Appends a node that splits a map into groups of consecutive channels.
  std::vector<detector::graph::ValueId> split(detector::graph::ValueId x,
                                              const std::vector<int>& channels);
  void output(detector::graph::ValueId value);
  void output(detector::graph::ValueId value, const std::string& name);

  /// Returns noise from -1 to 1 for the graph's input.
  [[nodiscard]] Tensor noise();
  [[nodiscard]] const detector::graph::Graph& graph() const { return graph_; }
  [[nodiscard]] Size size() const { return size_; }

 private:
  std::vector<float> random(std::size_t count, float spread);
  [[nodiscard]] int channels(detector::graph::ValueId value) const;

  detector::graph::Graph graph_;
  Size size_;
  std::mt19937 random_;
};

/// Returns how many nodes have the operator `Op`.
template <class Op>
long count_nodes(const detector::graph::Graph& graph) {
  return std::count_if(
      graph.nodes.begin(), graph.nodes.end(),
      [](const detector::graph::Node& node) { return std::holds_alternative<Op>(node.op); });
}

}  // namespace facepipe::test
