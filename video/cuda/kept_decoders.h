// Keeps NVDEC's decoders from one stream for the next stream of the same kind.
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

/// Holds the facts for which a decoder is made.
struct DecoderKind {
  AVCodecID codec = AV_CODEC_ID_NONE;
  Size size;
  int format = AV_PIX_FMT_NONE;
  int reordered = 0;                    ///< AVCodecParameters::video_delay
  std::array<int, 8> told{};            ///< the container's colours, fields and sample aspect
  std::vector<std::uint8_t> extradata;  ///< parameter sets
  int frames_alive = 0;
  friend bool operator==(const DecoderKind&, const DecoderKind&) = default;
};

/// Holds FFmpeg's decoder, together with NVDEC's decoder. They have decoded no stream yet, or have
/// returned all pictures of their stream.
struct IdleDecoder {
  UniqueCodecContext context;
  UniqueAVBuffer hardware;
  std::shared_ptr<cuda::Stream> stream;  ///< the stream of FFmpeg's work
};

/// Keeps the decoders that were given back last, in at most a quarter of the device's memory. On an
/// H100, making a decoder of NVDEC takes 40 to 50 ms, and destroying one takes 20 ms. Destroying
/// the last decoder of a device takes 230 ms. The size and the number of surfaces make no
/// difference. Threads that make or destroy decoders wait for each other. Therefore each new
/// decoder costs 80 to 100 ms, in which 60 frames of 1080p could be decoded. Thread-safe. It
/// belongs to one device, which must be current in each call.
class KeptDecoders {
 public:
  /// Removes a decoder of this kind and returns it; nullopt if there is none. If there is none and
  /// the device has too little memory for another decoder, destroys all kept decoders.
  [[nodiscard]] std::optional<IdleDecoder> take(const DecoderKind& kind);
  void give_back(DecoderKind kind, IdleDecoder decoder);

 private:
  using Kept = std::pair<DecoderKind, IdleDecoder>;

  std::mutex mutex_;
  std::deque<Kept> kept_;  // the decoder that was given back last comes first
};

}  // namespace facepipe::video
