#include "video/frames/kept_converters.h"

#include <utility>

namespace facepipe::video {
namespace {

constexpr std::size_t kMostConverters = 16;
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;

/// Returns how many bytes a converter can hold: one picture of 4:2:0 with 16 bits.
std::int64_t bytes_of(const ConverterKey& key) {
  return std::int64_t{key.from.size.width} * key.from.size.height * 3;
}

}  // namespace

std::unique_ptr<PictureConverter> KeptConverters::take(const ConverterKey& key) {
  const std::scoped_lock lock(mutex_);
  return kept_.take(key).value_or(nullptr);
}

void KeptConverters::give_back(ConverterKey key, std::unique_ptr<PictureConverter> converter) {
  const std::int64_t bytes = bytes_of(key);
  const std::scoped_lock lock(mutex_);
  kept_.add(std::move(key), std::move(converter), bytes);
  kept_.keep_at_most(kMostConverters, kMostBytes);
}

}  // namespace facepipe::video
