// Converts pictures of one kind to another by a chain of FFmpeg filters: size, format, rotation.
#pragma once

#include <string>

#include "video/ffmpeg.h"
#include "video/frames/picture_converter.h"

namespace facepipe::video {

/// Describes the pictures that a filter chain takes. A picture of another kind needs a new chain.
struct PictureKind {
  Size size;
  AVPixelFormat format = AV_PIX_FMT_NONE;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  Rational pixel{1, 1};  ///< ratio of a pixel's width to its height; 1:1 if unknown
  friend bool operator==(const PictureKind&, const PictureKind&) = default;
};
[[nodiscard]] PictureKind kind_of(const AVFrame& frame);

/// Returns filters that turn a stored picture upright, each followed by a comma; empty for an
/// upright picture.
[[nodiscard]] std::string rotation_filters(Orientation orientation);

class FrameFilter final : public PictureConverter {
 public:
  /// @param chain  as for FFmpeg's -vf, for example "scale=640:360,format=yuv420p"
  /// @param threads  number of threads that work on one picture; it doesn't change the result
  /// Throws Error(internal) for a chain that FFmpeg refuses.
  FrameFilter(const PictureKind& from, const std::string& chain, int threads = 1);

  [[nodiscard]] const PictureKind& from() const { return from_; }
  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame frame) override;

 private:
  PictureKind from_;
  UniqueFilterGraph graph_;
  AVFilterContext* source_ = nullptr;
  AVFilterContext* sink_ = nullptr;
};

}  // namespace facepipe::video
