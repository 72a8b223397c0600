// Puts converted pictures into larger pictures, with black beside them.
#pragma once

#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/letterbox.h"

namespace facepipe::video {

class Letterboxer final : public PictureConverter {
 public:
  /// @param chain, threads  as FrameFilter's; the pictures that it makes are as large as `area`
  /// @param area  where they lie in the made pictures of size `whole`; it begins on chroma cells
  Letterboxer(const PictureKind& from, const std::string& chain, const PictureArea& area,
              Size whole, int threads)
      : filter_(from, chain, threads), area_(area), whole_(whole) {}

  [[nodiscard]] UniqueAVFrame apply(UniqueAVFrame picture) override;

 private:
  FrameFilter filter_;
  PictureArea area_;
  Size whole_;
};

}  // namespace facepipe::video
