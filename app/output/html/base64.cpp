#include "app/output/html/base64.h"

#include <cstdint>

extern "C" {
#include <libavutil/base64.h>
}

#include "core/error.h"

namespace facepipe::app {

std::string base64(std::span<const std::byte> bytes) {
  std::string text(AV_BASE64_SIZE(bytes.size()), '\0');
  if (av_base64_encode(text.data(), static_cast<int>(text.size()),
                       reinterpret_cast<const std::uint8_t*>(bytes.data()),
                       static_cast<int>(bytes.size())) == nullptr)
    throw Error(ErrorKind::internal, "too many bytes for base64");
  text.pop_back();  // FFmpeg ends the text with a zero byte
  return text;
}

}  // namespace facepipe::app
