// Each node of a network on the device against the interpreter, given what the device gave it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/detector/cuda/device_network.h"
#include "tests/support/graph_interpreter.h"

namespace facepipe::test {

/// A half keeps 11 bits, so a value is off by 2^-12 of itself after its own rounding, and by a
/// random walk of such errors of the weights before.
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
    if (!(difference <= worst)) worst = difference;  // a NaN stays
    if (std::isnan(difference)) return difference;
  }
  return worst;
}

/// After a run: the outputs of every node, by the largest value of each.
inline void expect_layers(const graph::Graph& graph, const DeviceNetwork& device) {
  for (const graph::Node& node : graph.nodes) {
    std::vector<Tensor> inputs;
    for (const graph::ValueId input : node.inputs) inputs.push_back(device.value(input));
    std::vector<const Tensor*> pointers;
    for (const Tensor& input : inputs) pointers.push_back(&input);
    const std::vector<Tensor> expected = interpret_node(graph, node, pointers);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Tensor actual = device.value(node.outputs[i]);
      ASSERT_EQ(actual.size(), expected[i].size()) << node.name;
      EXPECT_LE(worst_difference(actual, expected[i]), kLayerError * largest(expected[i]))
          << graph::name_of(node.op) << " " << node.name;
    }
  }
}

}  // namespace facepipe::test
