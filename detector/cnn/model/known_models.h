// The face models that are known: how their files are recognised, and how their outputs are read.
//
// Files are recognised by the shapes of inputs and outputs. So a retrained model is known even if
// its tensors have other names. To add a model, add an entry: a file beside centerface.cpp, and its
// line in known_models(). The kernels that decode its outputs are chosen in
// detector/cnn/cuda/head.cu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/head.h"

namespace facepipe::detector {

enum class ModelKind { centerface, yunet };

/// Order of the input's three planes.
enum class ChannelOrder { rgb, bgr };

/// Tells how the network's outputs hold their cells.
enum class OutputLayout {
  planes,  ///< 1 x channels x rows x columns
  cells,   ///< 1 x cells x channels; the cells come row by row
};

/// One output of the network. It holds (network height / stride) * (network width / stride) cells
/// of `channels` floats each.
struct ModelOutput {
  std::string name;
  int channels = 0;
  int stride = 0;

  [[nodiscard]] std::size_t values(Size network) const {
    const auto rows = static_cast<std::size_t>(network.height / stride);
    const auto columns = static_cast<std::size_t>(network.width / stride);
    return rows * columns * static_cast<std::size_t>(channels);
  }
};

/// An input or output as a file declares it.
struct DeclaredTensor {
  std::string name;
  std::vector<std::int64_t> extents;  ///< -1: left open; empty if the tensor has no floats
};

struct KnownModel {
  ModelKind kind;
  std::string_view name;   ///< name in reports: "centerface"
  std::string_view title;  ///< name in sentences: "CenterFace"
  ChannelOrder channel_order;
  OutputLayout output_layout;
  /// Returns the outputs in the order in which heads read them, or nullopt for a file of another
  /// model. `image` is the input, N x 3 x H x W.
  std::optional<std::vector<ModelOutput>> (*find_outputs)(const DeclaredTensor& image,
                                                          std::span<const DeclaredTensor> outputs);
  Head decode;
};

/// CenterFace (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point",
/// 2020) has four outputs at stride 4, in the file's order: heatmap (1 channel), scale (2), offset
/// (2), landmarks (10). Heads read them in that order.
extern const KnownModel kCenterface;

/// YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023) has twelve outputs
/// NAME_STRIDE. NAME is cls (1 channel), obj (1), bbox (4) or kps (10), and STRIDE is 8, 16 or 32.
/// Heads read cls, obj, bbox, kps of stride 8, then those of 16, then those of 32.
extern const KnownModel kYunet;

[[nodiscard]] std::span<const KnownModel* const> known_models();

}  // namespace facepipe::detector
