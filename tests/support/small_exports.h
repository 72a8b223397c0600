// Makes small networks with random weights for tests. Their files are written as exporters write
// large networks.
#pragma once

#include <string>

#include "tests/support/onnx_builder.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

/// The exported networks accept only square pictures with this side, in pixels.
inline constexpr int kExportedSide = 64;

/// Returns a small SCRFD (Guo et al., "Sample and Computation Redistribution for Efficient Face
/// Detection", 2021), as InsightFace exports it. Its outputs are the scores, boxes and landmarks
/// for the strides 8, 16 and 32, with two anchors at each place. The scores of all strides are the
/// first outputs.
[[nodiscard]] OnnxBuilder small_scrfd(bool landmarks = true);

/// Writes small_scrfd() into the folder as "small.onnx". Returns the path.
[[nodiscard]] std::string write_small_scrfd(const TemporaryFolder& folder);

/// Returns a network in which each pass of the canonical form finds something to rewrite: a
/// shuffle, Slices, a mean, a factor, and a Resize to sizes. The network also has the operators
/// that only some exports have: SiLU, LeakyRelu and Concat. It has one output: rows of four values.
[[nodiscard]] OnnxBuilder export_for_all_passes();

}  // namespace facepipe::test
