// Describes the known face models as data: their inputs, and how their outputs are read.
//
// To add a model whose kind of head is known, add its data to known_models.cpp. Another kind of
// head also needs a value of HeadKind and its arithmetic in head_cells.h.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "detector/cnn/model/head_data.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// Says in which order the input has its three planes.
enum class ChannelOrder { rgb, bgr };

/// Describes a network's input: 1 x 3 x H x W, values 0..255.
struct InputData {
  ChannelOrder channel_order = ChannelOrder::rgb;
  int multiple =
      kUsualMultiple;  ///< each side of the input is a multiple of this; all strides divide it
  int pad = 0;         ///< the level of the input beside the picture: 0..255
  /// The only size of the input; nullopt if the network takes every size.
  std::optional<Size> size{};
};

/// Describes a network, without its weights.
struct ModelData {
  std::string name;   ///< name in reports: "centerface"
  std::string title;  ///< name in sentences: "CenterFace"
  InputData input;
  HeadData head;
  /// See ModelAbout::reference_score.
  std::optional<float> reference_score{};
};

/// CenterFace (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point",
/// 2020) has four outputs at stride 4.
[[nodiscard]] const ModelData& centerface();

/// YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023) has four outputs at
/// each of the strides 8, 16 and 32.
[[nodiscard]] const ModelData& yunet();

/// Returns all known models. A file belongs to the first model whose outputs it has.
[[nodiscard]] std::span<const ModelData* const> known_models();

}  // namespace facepipe::detector
