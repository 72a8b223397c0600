// Converts grey pictures to planar 4:2:0. The samples equal those of FFmpeg's scale filter.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// Converts grey of 8 bits to 4:2:0 of the same size. A luma sample depends only on the grey of its
/// pixel, and chroma is constant. Therefore FFmpeg's filter converts each grey once, and a table
/// then converts the pictures. FFmpeg's scaler takes four times as long as the table.
class GreyConverter final : public PictureConverter {
 public:
  /// Size of a picture that contains every grey.
  static constexpr Size kTable{16, 16};

  /// @param chain  as for FrameFilter; it converts a grey picture of size kTable to YUV420P
  /// Throws Error(internal) for a chain that FFmpeg refuses.
  GreyConverter(const PictureKind& from, const std::string& chain);

  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void ask(const PictureKind& from, const std::string& chain);

  Size luma_;
  Size chroma_;
  std::array<int, 2> strides_;               ///< strides of luma, and of chroma
  std::array<std::uint8_t, 256> luma_of_{};  ///< luma of each grey
  std::array<std::uint8_t, 2> chroma_of_{};  ///< U and V, which are the same for all greys
  AVColorRange range_ = AVCOL_RANGE_UNSPECIFIED;
  AVColorSpace matrix_ = AVCOL_SPC_UNSPECIFIED;
  UniqueBufferPool pool_;  ///< each buffer holds all planes
};

}  // namespace facepipe::video
