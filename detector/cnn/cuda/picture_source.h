// What a network's input is made of.
#pragma once

#include "core/cuda/frame_descriptor.h"
#include "core/frame.h"
#include "detector/cnn/model/model.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::engine {

struct PictureSource {
  NetworkFit fit;
  StreamLayout layout;
  ChannelOrder order = ChannelOrder::rgb;

  /// The network's input has other pixels than the frame.
  [[nodiscard]] bool scaled() const { return fit.content != fit.frame; }
};

/// The part of a PictureSource that every pixel needs.
struct Picture {
  Size content;  ///< upright
  Size scaled;   ///< the content as it is stored
  Orientation orientation;
  bool upright;  ///< neither turned nor mirrored
  int shift;
  int wide;  ///< samples of 16 bits
};

inline Picture picture_of(const PictureSource& source) {
  const StreamLayout& layout = source.layout;
  return {
      source.fit.content,  upright_size(source.fit.content, layout.orientation),  // its own inverse
      layout.orientation,  layout.orientation.upright(),
      layout.format.shift, layout.format.bytes_per_sample() == 2 ? 1 : 0};
}

}  // namespace facepipe::engine
