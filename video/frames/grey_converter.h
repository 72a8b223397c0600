// Converts grey pictures to planar 4:2:0. The samples equal those of FFmpeg's scale filter.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// Converts grey of 8 bits to 4:2:0 of the same size. Each sample of luma depends on one grey only,
/// and chroma doesn't depend on any. So FFmpeg's filter is asked once for each grey, and not for
/// each picture. Its scaler takes four times as long as a table.
class GreyConverter final : public PictureConverter {
 public:
  /// Size of a picture that has every grey.
  static constexpr Size kTable{16, 16};

  /// @param chain  as FrameFilter's, from a grey picture of kTable to YUV420P of that size
  /// Throws Error(internal) for a chain that FFmpeg refuses.
  GreyConverter(const PictureKind& from, const std::string& chain);

  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void ask(const PictureKind& from, const std::string& chain);

  Size luma_;
  Size chroma_;
  std::array<int, 2> strides_;               ///< strides of luma, and of chroma
  std::array<std::uint8_t, 256> luma_of_{};  ///< luma of each grey
  std::array<std::uint8_t, 2> chroma_of_{};  ///< U and V of all greys
  AVColorRange range_ = AVCOL_RANGE_UNSPECIFIED;
  AVColorSpace matrix_ = AVCOL_SPC_UNSPECIFIED;
  UniqueBufferPool pool_;  ///< gives one buffer for all planes
};

}  // namespace facepipe::video
