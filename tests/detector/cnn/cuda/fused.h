// What a kernel that computes several layers at once may be off.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "tests/detector/cnn/cuda/layers.h"

namespace facepipe::test {

/// The differences' Euclidean norm by that of what is expected.
inline double relative_error(const Tensor& actual, const Tensor& expected) {
  double difference = 0;
  double all = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(actual[i]) - expected[i], 2);
    all += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(difference) / std::sqrt(all);
}

/// Sums of up to twenty products in halves: 2^-12 each, at random, and five times that at worst.
inline constexpr double kFusedError = 1e-3;
inline constexpr double kWorstFusedError = 2.5e-3;  ///< of the largest value

inline void expect_close(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_LE(relative_error(actual, expected), kFusedError);
  EXPECT_LE(worst_difference(actual, expected), kWorstFusedError * largest(expected));
}

/// The node's output after a run, given what the device gave it.
inline void expect_fused(const detector::graph::Graph& graph, const detector::graph::Node& node,
                         const DeviceNetwork& device) {
  std::vector<Tensor> inputs;
  for (const detector::graph::ValueId input : node.inputs) inputs.push_back(device.value(input));
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  expect_close(device.value(node.outputs[0]), interpret_node(graph, node, pointers)[0]);
}

}  // namespace facepipe::test
