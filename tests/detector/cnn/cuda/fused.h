// Compares kernels that compute several layers at once with the interpreter.
#pragma once

#include <gtest/gtest.h>

#include "tests/detector/cnn/cuda/layers.h"

namespace facepipe::test {

/// Returns the Euclidean norm of the difference, divided by the norm of the expected values.
inline double relative_error(const Tensor& actual, const Tensor& expected) {
  return norm_of_difference(actual, expected) / norm(expected);
}

/// The output of a fused kernel may have this error. Sums of up to twenty products in halves have
/// random errors of 2^-12; the largest error is about five times that.
inline constexpr double kFusedError = 1e-3;
inline constexpr double kWorstFusedError = 2.5e-3;  ///< allowed error of a single value, relative
                                                    ///< to the largest value

inline void expect_close(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  EXPECT_LE(relative_error(actual, expected), kFusedError);
  EXPECT_LE(worst_difference(actual, expected), kWorstFusedError * largest(expected));
}

/// Compares the node's output after a run with the interpreter's output for the same inputs, which
/// are downloaded.
inline void expect_fused(const detector::graph::Graph& graph, const detector::graph::Node& node,
                         const DeviceNetwork& device) {
  std::vector<Tensor> inputs;
  for (const detector::graph::ValueId input : node.inputs) inputs.push_back(device.value(input));
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  expect_close(device.value(node.outputs[0]), interpret_node(graph, node, pointers)[0]);
}

}  // namespace facepipe::test
