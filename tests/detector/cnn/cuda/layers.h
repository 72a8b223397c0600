// Compares the outputs of each node on the device with those of the interpreter. The interpreter
// gets the inputs that the node had on the device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/support/graph_interpreter.h"

namespace facepipe::test {

/// A layer's output may have this error, relative to the largest value of the output. A half has 11
/// bits, so rounding changes a value by up to 2^-12 of it. The rounding errors of the weights add
/// up like a random walk.
inline constexpr double kLayerError = 1e-3;

inline double largest(const Tensor& tensor) {
  double most = 0;
  for (const float value : tensor) most = std::max(most, std::abs(static_cast<double>(value)));
  return most;
}

inline double worst_difference(const Tensor& actual, const Tensor& expected) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(actual[i]) - expected[i]);
    if (!(difference <= worst)) worst = difference;  // also true for a NaN
    if (std::isnan(difference)) return difference;
  }
  return worst;
}

inline double norm(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

inline double norm_of_difference(const Tensor& actual, const Tensor& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(actual[i]) - expected[i];
    sum += difference * difference;
  }
  return std::sqrt(sum);
}

/// Compares a value whose sums were computed in halves, with nine roundings in each sum. If there
/// are many values, the Euclidean norm of the errors must be within kLayerError. The error of a
/// single value must be within four times that, because large products can cancel each other.
inline void expect_sums_of_halves(const Tensor& actual, const Tensor& expected) {
  constexpr std::size_t kMany = 256;
  if (expected.size() >= kMany) {
    EXPECT_LE(norm_of_difference(actual, expected), kLayerError * norm(expected));
  }
  EXPECT_LE(worst_difference(actual, expected), 4 * kLayerError * largest(expected));
}

/// After a run, compares the outputs of each node. Errors are relative to the largest value of an
/// output.
inline void expect_layers(const detector::graph::Graph& graph, const DeviceNetwork& device) {
  for (const detector::graph::Node& node : graph.nodes) {
    std::vector<Tensor> inputs;
    for (const detector::graph::ValueId input : node.inputs) inputs.push_back(device.value(input));
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    const std::vector<Tensor> expected = interpret_node(graph, node, pointers);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Tensor actual = device.value(node.outputs[i]);
      ASSERT_EQ(actual.size(), expected[i].size()) << node.name;
      SCOPED_TRACE(std::string(detector::graph::name_of(node.op)) + " " + node.name);
      const bool halves =
          device.network().place(node.outputs[i]).element == detector::engine::Element::f16;
      if (std::holds_alternative<detector::graph::PairChains>(node.op) && halves) {
        expect_sums_of_halves(actual, expected[i]);
        continue;
      }
      EXPECT_LE(worst_difference(actual, expected[i]), kLayerError * largest(expected[i]));
    }
  }
}

}  // namespace facepipe::test
