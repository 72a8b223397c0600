#include "video/bitstream/murmur_hash.h"

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/murmur3.h>
}

#include "video/ffmpeg.h"

namespace facepipe::video {

void MurmurHash::Free::operator()(AVMurMur3* state) const noexcept { av_free(state); }

MurmurHash::MurmurHash() : state_(allocated(av_murmur3_alloc())) { av_murmur3_init(state_.get()); }

MurmurHash::~MurmurHash() = default;

void MurmurHash::add(std::span<const std::byte> bytes) {
  if (!bytes.empty())
    av_murmur3_update(state_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                      bytes.size());
}

MurmurHash::Value MurmurHash::finish() {
  Value value{};
  av_murmur3_final(state_.get(), value.data());
  av_murmur3_init(state_.get());
  return value;
}

}  // namespace facepipe::video
