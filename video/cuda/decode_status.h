// Asks what NVDEC found while it decoded a picture. NVDEC conceals damage, and FFmpeg doesn't ask
// it.
#pragma once

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include "video/cuda/cuvid_library.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

enum class DecodeStatus {
  unknown,   ///< The driver or this FFmpeg version doesn't say.
  decoding,  ///< The decoder has not finished the picture.
  whole,
  damaged,  ///< Part of it couldn't be decoded, and its samples there are made up.
};

/// Returns whether pictures of the codec have a status with this FFmpeg version, as far as that is
/// known without a device. H.264 and HEVC have one. JPEG has none, because the driver calls every
/// picture whole.
[[nodiscard]] bool has_decode_status(AVCodecID codec);

/// Asks the driver. Used only by the thread of the decoder.
class DecodeStatusReader {
 public:
  /// Throws Error(device) if `file` can't be loaded.
  explicit DecodeStatusReader(const char* file = CuvidLibrary::kUsual);

  /// Returns the status of a picture that comes from FFmpeg's NVDEC decoder. The decoder's context
  /// must be current.
  [[nodiscard]] DecodeStatus of(const AVFrame& surface) const;

 private:
  CuvidLibrary library_;
  tcuvidGetDecodeStatus* get_status_;  ///< nullptr if the driver is too old
};

}  // namespace facepipe::video
