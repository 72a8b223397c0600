// What NVDEC found while it decoded a picture. It conceals damage, and FFmpeg doesn't ask it.
#pragma once

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include "video/cuda/cuvid_library.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

enum class DecodeStatus {
  unknown,   ///< The driver, or this FFmpeg, doesn't tell.
  decoding,  ///< It isn't known yet.
  whole,
  damaged,  ///< Something in it couldn't be decoded; what stands there is made up.
};

/// Whether pictures of the codec have a status with this FFmpeg, as far as that is known without a
/// device: H.264 and HEVC. (Of JPEG the driver says that all is whole, whatever it is.)
[[nodiscard]] bool has_decode_status(AVCodecID codec);

/// Asks the driver. Used by one thread, that of the decoder.
class DecodeStatusReader {
 public:
  /// Errors: Error(device) where `file` can't be loaded.
  explicit DecodeStatusReader(const char* file = CuvidLibrary::kUsual);

  /// Of a picture as FFmpeg's NVDEC decoder has given it. The decoder's context is current.
  [[nodiscard]] DecodeStatus of(const AVFrame& surface) const;

 private:
  CuvidLibrary library_;
  tcuvidGetDecodeStatus* get_status_;  ///< null: the driver is too old
};

}  // namespace facepipe::video
