// Wraps an encoder, and makes small pictures of some of its frames.
#pragma once

#include <functional>
#include <memory>

#include "video/write/encoder.h"
#include "video/write/preview_pictures.h"

namespace facepipe::video {

/// Says which frames become pictures.
struct PictureWish {
  int count = 6;
  double duration_s = 0;  ///< of the whole video; > 0
  /// Gets the pictures in order, on the encoder's thread.
  std::function<void(PreviewPicture)> take;
};

/// Returns an encoder that forwards to `encoder`, and makes a picture of the first frame at or
/// after each preview_time(). Frames on a device are left out, because no frame leaves a device for
/// a picture. If a picture can't be made, no further ones are made, and the video goes on.
[[nodiscard]] std::unique_ptr<Encoder> with_pictures(std::unique_ptr<Encoder> encoder,
                                                     PictureWish wish);

}  // namespace facepipe::video
