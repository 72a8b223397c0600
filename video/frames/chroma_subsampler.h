// JPEG's pictures with more chroma than 4:2:0 made 4:2:0, as FFmpeg's scale filter makes them.
#pragma once

extern "C" {
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// 4:4:4, 4:2:2 or 4:4:0 of 8 bits and full range to 4:2:0 of the same size. As both formats have
/// one range, and chroma lies in the middle of its luma samples, luma stays as it is, and each
/// plane of chroma is a picture of its own made smaller. FFmpeg's filter, which makes the same
/// samples, sends luma through its scaler, too, and takes twice as long.
class ChromaSubsampler final : public PictureConverter {
 public:
  /// Whether it is for pictures of that kind. Where a picture says that its chroma lies elsewhere,
  /// FFmpeg's filter decides.
  [[nodiscard]] static bool takes(const PictureKind& from, AVChromaLocation chroma);

  /// @param scaling  FFmpeg's flags of a scaler, e.g. "bicubic+accurate_rnd"
  /// Errors: Error(internal) for flags that FFmpeg refuses.
  ChromaSubsampler(const PictureKind& from, const std::string& scaling);

  /// The result shares the picture's luma.
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  void add_chroma(const AVFrame& from, AVFrame& to);

  Size from_;  ///< of a plane of chroma
  Size to_;
  int stride_;
  std::unique_ptr<SwsContext, FFmpegDelete<sws_freeContext>> scaler_;
  UniqueBufferPool pool_;  ///< of the two planes together
};

}  // namespace facepipe::video
