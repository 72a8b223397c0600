// Converts JPEG's pictures to 4:2:0 if they have more chroma. The samples equal those of FFmpeg's
// scale filter.
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
/// have the same range, and a chroma sample lies in the middle of its luma samples. Therefore luma
/// stays unchanged, and each chroma plane is scaled as a picture of its own. FFmpeg's filter
/// computes the same samples, but it also scales luma and takes twice as long.
class ChromaSubsampler final : public PictureConverter {
 public:
  /// Returns whether this class converts pictures of kind `from`. If a picture says that its chroma
  /// lies elsewhere, FFmpeg's filter must convert it.
  [[nodiscard]] static bool takes(const PictureKind& from, AVChromaLocation chroma);

  /// @param scaling  flags of FFmpeg's scaler, for example "bicubic+accurate_rnd"
  /// Throws Error(internal) for flags that FFmpeg refuses.
  ChromaSubsampler(const PictureKind& from, const std::string& scaling);

  /// Returns a picture that shares the luma of `picture`.
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void add_chroma(const AVFrame& from, AVFrame& to);

  Size from_;  ///< size of a chroma plane before scaling; `to_` is its size after scaling
  Size to_;
  int stride_;
  std::unique_ptr<SwsContext, FFmpegDelete<sws_freeContext>> scaler_;
  UniqueBufferPool pool_;  ///< each buffer holds both chroma planes
};

}  // namespace facepipe::video
