// Converts pictures and places them in larger pictures, with black beside them.
#pragma once

#include <string>

#include "video/frames/frame_filter.h"
#include "video/frames/letterbox.h"

namespace facepipe::video {

class Letterboxer final : public PictureConverter {
 public:
  /// @param chain, threads  as for FrameFilter; the chain's results have the size of `area`
  /// @param area  position of the results in pictures of size `whole`; its begin is the begin of a
  ///              chroma cell
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
