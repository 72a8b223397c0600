// The picture from which a network's input is made.
#pragma once

#include "core/cuda/frame_descriptor.h"
#include "core/frame.h"
#include "detector/cnn/model/model.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::detector::engine {

struct PictureSource {
  NetworkFit fit;
  StreamLayout layout;
  ChannelOrder order = ChannelOrder::rgb;

  /// Whether the picture has to be scaled for the network.
  [[nodiscard]] bool scaled() const { return fit.content != fit.frame; }
};

/// What kernels need of a PictureSource for each pixel.
struct Picture {
  Size content;  ///< size of the scaled picture, upright
  Size scaled;   ///< size of the scaled picture as it is stored, not yet turned
  Orientation orientation;
  bool upright;  ///< neither turned nor mirrored
  int shift;
  int wide;  ///< 1: samples of 16 bits, 0: of 8
};

inline Picture picture_of(const PictureSource& source) {
  const StreamLayout& layout = source.layout;
  return {
      source.fit.content,  upright_size(source.fit.content, layout.orientation),  // its own inverse
      layout.orientation,  layout.orientation.upright(),
      layout.format.shift, layout.format.bytes_per_sample() == 2 ? 1 : 0};
}

}  // namespace facepipe::detector::engine
