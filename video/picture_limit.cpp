#include "video/picture_limit.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "core/limits.h"

namespace facepipe::video {
namespace {

// Width and height share one word, because decoders log from their own threads.
std::atomic<std::uint64_t> refused_size = 0;

}  // namespace

void check_pixels(const std::string& file, Size picture, std::int64_t max_pixels) {
  if (std::int64_t{picture.width} * picture.height <= max_pixels) return;
  throw Error(ErrorKind::input, file + ": pictures of " + to_string(picture) + " have more than " +
                                    std::to_string(max_pixels) + " pixels (--max-pixels)");
}

std::int64_t codec_max_pixels(std::int64_t max_pixels) {
  constexpr std::int64_t kRowPadding = 64;
  return max_pixels + kRowPadding * std::min<std::int64_t>(max_pixels, kMaxPictureSide);
}

std::optional<Size> take_refused_size() {
  const std::uint64_t both = refused_size.exchange(0);
  if (both == 0) return std::nullopt;
  return Size{static_cast<int>(both >> 32U), static_cast<int>(both & 0xffffffffU)};
}

void watch_for_refused_size(const char* line) {
  // The text comes from av_image_check_size2() in libavutil/imgutils.c.
  const char* const found = std::strstr(line, "Picture size ");
  unsigned width = 0;
  unsigned height = 0;
  if (found == nullptr || std::strstr(found, "exceeds specified max pixel count") == nullptr)
    return;
  if (std::sscanf(found, "Picture size %ux%u", &width, &height) != 2) return;
  refused_size = std::uint64_t{width} << 32U | height;
}

}  // namespace facepipe::video
