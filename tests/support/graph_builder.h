// Small graphs with random weights, for tests.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "detector/cnn/model/graph/graph.h"
#include "tests/support/graph_interpreter.h"

namespace facepipe::test {

/// What a test says of a convolution; the rest is random.
struct ConvolutionSpec {
  int outputs = 8;
  int kernel = 1;
  int stride = 1;
  int pad = 0;
  bool depthwise = false;  ///< outputs are then the inputs
  graph::Activation activation = graph::Activation::none;
};

/// Nodes in the order of the calls. Weights are scaled so that values keep their size.
class GraphBuilder {
 public:
  GraphBuilder(int channels, Size size, unsigned seed);

  [[nodiscard]] graph::ValueId input() const { return graph_.input; }
  graph::ValueId convolution(graph::ValueId x, const ConvolutionSpec& spec,
                             const std::vector<graph::ValueId>& residual = {});
  graph::ValueId transposed(graph::ValueId x, int outputs, graph::Activation activation,
                            const std::vector<graph::ValueId>& residual = {});
  graph::ValueId batch_norm(graph::ValueId x);
  /// Any operator of one output that needs no weights.
  graph::ValueId node(graph::Operator op, const std::vector<graph::ValueId>& inputs);
  /// Consecutive channels of a map.
  std::vector<graph::ValueId> split(graph::ValueId x, const std::vector<int>& channels);
  void output(graph::ValueId value);
  void output(graph::ValueId value, const std::string& name);

  /// Noise in -1..1, the size of the input.
  [[nodiscard]] Tensor noise();
  [[nodiscard]] const graph::Graph& graph() const { return graph_; }
  [[nodiscard]] Size size() const { return size_; }

 private:
  std::vector<float> random(std::size_t count, float spread);
  [[nodiscard]] int channels(graph::ValueId value) const;

  graph::Graph graph_;
  Size size_;
  std::mt19937 random_;
};

}  // namespace facepipe::test
