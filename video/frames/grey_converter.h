// Grey pictures made planar 4:2:0, as FFmpeg's scale filter makes them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// Grey of 8 bits to 4:2:0 of the same size. Each sample of luma depends on one grey alone, and
/// chroma on none, so that FFmpeg's filter is asked once for each grey, not for each picture: its
/// scaler takes four times as long as a table.
class GreyConverter final : public PictureConverter {
 public:
  /// Of a picture that has every grey.
  static constexpr Size kTable{16, 16};

  /// @param chain  FrameFilter's, from a grey picture of kTable to YUV420P of that size
  /// Errors: Error(internal) for a chain that FFmpeg refuses.
  GreyConverter(const PictureKind& from, const std::string& chain);

  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void ask(const PictureKind& from, const std::string& chain);

  Size luma_;
  Size chroma_;
  std::array<int, 2> strides_;               ///< of luma, and of chroma
  std::array<std::uint8_t, 256> luma_of_{};  ///< a grey
  std::array<std::uint8_t, 2> chroma_of_{};  ///< all greys: U, V
  AVColorRange range_ = AVCOL_RANGE_UNSPECIFIED;
  AVColorSpace matrix_ = AVCOL_SPC_UNSPECIFIED;
  UniqueBufferPool pool_;  ///< of all planes together
};

}  // namespace facepipe::video
