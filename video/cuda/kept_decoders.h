// NVDEC's decoders kept from one stream to the next that is like it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/cuda/stream.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// What a decoder is made for.
struct DecoderKind {
  AVCodecID codec = AV_CODEC_ID_NONE;
  Size size;
  int format = AV_PIX_FMT_NONE;
  int reordered = 0;                    ///< AVCodecParameters::video_delay
  std::array<int, 8> told{};            ///< by the container: colours, fields, sample aspect
  std::vector<std::uint8_t> extradata;  ///< parameter sets
  int frames_alive = 0;
  friend bool operator==(const DecoderKind&, const DecoderKind&) = default;
};

/// FFmpeg's decoder with NVDEC's behind it, which has met no stream, or given all of it.
struct IdleDecoder {
  UniqueCodecContext context;
  UniqueAVBuffer hardware;
  std::shared_ptr<cuda::Stream> stream;  ///< FFmpeg's work
};

/// To make one of NVDEC's decoders takes 40 to 50 ms on an H100, and to end one 20, the last one of
/// a device 230, whatever its size and surfaces; of several threads, each waits for all others, so
/// that 80 to 100 ms go by for each decoder, in which 60 frames of 1080p are decoded. Keeps those
/// that were given back last, in no more than a quarter of the device's memory. Thread-safe; bound
/// to one device, which is current in each call.
class KeptDecoders {
 public:
  /// One of that kind; nullopt where none is kept: then those of other kinds end, if the device's
  /// memory is short of another.
  [[nodiscard]] std::optional<IdleDecoder> take(const DecoderKind& kind);
  void give_back(DecoderKind kind, IdleDecoder decoder);

 private:
  using Kept = std::pair<DecoderKind, IdleDecoder>;

  std::mutex mutex_;
  std::deque<Kept> kept_;  // given back last first
};

}  // namespace facepipe::video
