// Small networks with random weights, written as exporters write large ones, for tests.
#pragma once

#include <string>

#include "tests/support/onnx_builder.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

/// The exports hold for pictures of this side alone.
inline constexpr int kExportedSide = 64;

/// Returns a small SCRFD (Guo et al., "Sample and Computation Redistribution for Efficient Face
/// Detection", 2021), as InsightFace exports it: scores, boxes and landmarks of two anchors a
/// place, for the strides 8, 16 and 32. First come the scores of all strides.
[[nodiscard]] OnnxBuilder small_scrfd(bool landmarks = true);

/// Writes small_scrfd() into the folder as "small.onnx". Returns the path.
[[nodiscard]] std::string write_small_scrfd(const TemporaryFolder& folder);

/// Returns a network with something for each pass of the canonical form to rewrite: a shuffle,
/// Slices, a mean, a factor, and a Resize to sizes. It also has the operators that only some
/// exports have: SiLU, LeakyRelu and Concat. It has one output: rows of four values.
[[nodiscard]] OnnxBuilder export_for_all_passes();

}  // namespace facepipe::test
