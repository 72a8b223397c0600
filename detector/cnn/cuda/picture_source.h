// Describes the picture from which a network's input is made.
#pragma once

#include "core/cuda/frame_descriptor.h"
#include "core/frame.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::detector::engine {

struct PictureSource {
  NetworkFit fit;
  StreamLayout layout;
  ChannelOrder order = ChannelOrder::rgb;
  int pad = 0;  ///< the level of the input beside the picture

  /// Returns whether the picture must be scaled for the network.
  [[nodiscard]] bool scaled() const { return fit.content != fit.frame; }
};

/// Describes a PictureSource for kernels, which read its pixels.
struct Picture {
  Size content;  ///< size of the scaled picture, upright
  Size scaled;   ///< size of the scaled picture as it is stored, not yet turned
  Orientation orientation;
  bool upright;  ///< true if the picture is neither turned nor mirrored
  int shift;
  int wide;  ///< 1 if samples have 16 bits, 0 if they have 8
};

inline Picture picture_of(const PictureSource& source) {
  const StreamLayout& layout = source.layout;
  return {// upright_size() is its own inverse
          source.fit.content,  upright_size(source.fit.content, layout.orientation),
          layout.orientation,  layout.orientation.upright(),
          layout.format.shift, layout.format.bytes_per_sample() == 2 ? 1 : 0};
}

}  // namespace facepipe::detector::engine
