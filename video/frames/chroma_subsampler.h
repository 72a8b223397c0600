// Converts JPEG's pictures with more chroma than 4:2:0 to 4:2:0. The samples equal those of
// FFmpeg's scale filter.
#pragma once

extern "C" {
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// Converts 4:4:4, 4:2:2 or 4:4:0 of 8 bits and full range to 4:2:0 of the same size. Both formats
/// have the same range, and chroma lies in the middle of its luma samples. So luma stays as it is,
/// and each plane of chroma is scaled down as a picture of its own. FFmpeg's filter makes the same
/// samples, but it sends luma through its scaler, too, and takes twice as long.
class ChromaSubsampler final : public PictureConverter {
 public:
  /// Returns whether it takes pictures of that kind. If a picture says that its chroma lies
  /// elsewhere, it doesn't, and FFmpeg's filter converts the picture.
  [[nodiscard]] static bool takes(const PictureKind& from, AVChromaLocation chroma);

  /// @param scaling  flags of FFmpeg's scaler, for example "bicubic+accurate_rnd"
  /// Throws Error(internal) for flags that FFmpeg refuses.
  ChromaSubsampler(const PictureKind& from, const std::string& scaling);

  /// The result shares the picture's luma.
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void add_chroma(const AVFrame& from, AVFrame& to);

  Size from_;  ///< size of a plane of chroma before scaling; `to_` is its size afterwards
  Size to_;
  int stride_;
  std::unique_ptr<SwsContext, FFmpegDelete<sws_freeContext>> scaler_;
  UniqueBufferPool pool_;  ///< gives one buffer for both planes
};

}  // namespace facepipe::video
