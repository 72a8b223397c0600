// Describes the outputs of a network: how they are recognised in a file, and their extents.
//
// Outputs are recognised by their shapes, and by their names or, if the head's data has no names,
// by their order. So a retrained CenterFace is known even if its tensors have other names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/head_data.h"

namespace facepipe::detector {

/// Describes one output of the network: one tensor of a head at one stride.
struct ModelOutput {
  std::string name;
  int channels = 0;  ///< number of floats of a cell
  int stride = 0;
  int anchors = 1;  ///< number of cells of a place
  /// For rows of boxes: the output's extents, which don't depend on the picture. Otherwise empty.
  std::vector<std::int64_t> extents{};

  /// Returns the number of rows of boxes.
  [[nodiscard]] std::size_t rows() const {
    std::size_t numbers = 1;
    for (const std::int64_t extent : extents) numbers *= static_cast<std::size_t>(extent);
    return numbers / static_cast<std::size_t>(channels);
  }

  /// Returns the number of floats of the output, for a network of this size.
  [[nodiscard]] std::size_t values(Size network) const {
    if (!extents.empty()) return rows() * static_cast<std::size_t>(channels);
    const auto rows = static_cast<std::size_t>(network.height / stride);
    const auto columns = static_cast<std::size_t>(network.width / stride);
    return rows * columns * static_cast<std::size_t>(anchors) * static_cast<std::size_t>(channels);
  }
};

/// Describes an input or an output as a file declares it.
struct DeclaredTensor {
  std::string name;
  std::vector<std::int64_t> extents;  ///< -1 for an open extent; empty if the tensor has no floats
};

/// Returns the outputs in the order in which decoders read them, or nullopt for a file of another
/// model. `image` is the input, N x 3 x H x W.
[[nodiscard]] std::optional<std::vector<ModelOutput>> find_outputs(
    const HeadData& head, const DeclaredTensor& image, std::span<const DeclaredTensor> outputs);

/// Returns the extents of an output for a network of this size.
[[nodiscard]] std::vector<std::int64_t> output_extents(OutputLayout layout,
                                                       const ModelOutput& output, Size network);

}  // namespace facepipe::detector
