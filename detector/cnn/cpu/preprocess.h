// Converts frames to the network's input. The frames are planar YUV or GBR as stored. The input is
// planes of red, green and blue bytes.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <span>

#include "core/frame.h"
#include "detector/cnn/cpu/byte_yuv.h"
#include "detector/cnn/cpu/packed_rgb.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

/// Converts to RGB by the frame's matrix and range, scales if the fit requires it, turns the
/// picture upright, and writes each channel to its own plane. It scales to half the size and less
/// by area averages, otherwise bilinearly. Owns scratch memory. Only one thread at a time may use
/// an object.
///
/// It doesn't tone map PQ or HLG, because faces are recognisable anyway. It repeats chroma instead
/// of interpolating it. The error of each value is at most 4 of 255 (8 bits: only rounding, as in
/// the CUDA engine).
class Preprocessor {
 public:
  /// `pad` is the level beside the picture.
  Preprocessor(const NetworkFit& fit, ChannelOrder order, std::uint8_t pad = 0);

  /// Writes the fit's content area of `planes` (3 x network height x network width bytes), and
  /// `pad` to the right of it. The rows below stay unchanged. Throws Error(internal) if the frame
  /// has another upright size or is on another device.
  void convert(const Frame& frame, std::span<std::uint8_t> planes);

 private:
  void check(const Frame& frame) const;
  void to_packed(const Frame& frame);
  void merge_gbr(const Frame& frame);
  [[nodiscard]] cv::Mat scaled(Orientation orientation);
  [[nodiscard]] cv::Mat upright(cv::Mat picture, Orientation orientation);
  void spread(cv::Mat picture, std::span<std::uint8_t> planes);

  NetworkFit fit_;
  ChannelOrder order_;
  std::uint8_t pad_;
  ByteYuv byte_yuv_;
  PackedRgb rgb_;
  cv::Mat packed_buffer_;
  cv::Mat packed_;  ///< the picture in packed_buffer_, after its rows were flipped if necessary
  cv::Mat scaled_buffer_;
  cv::Mat flipped_buffer_;
  cv::Mat transposed_buffer_;
  cv::Mat unused_;  ///< receives the fourth channel, which is not used
};

}  // namespace facepipe::detector
