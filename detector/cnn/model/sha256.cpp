#include "detector/cnn/model/sha256.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

namespace facepipe {

std::string sha256_hex(std::string_view bytes) {
  constexpr int kBits = 256;
  const std::unique_ptr<AVSHA, decltype(&av_free)> context(av_sha_alloc(), &av_free);
  // The only failures: no memory, and a number of bits that FFmpeg doesn't know.
  if (!context || av_sha_init(context.get(), kBits) < 0) throw std::bad_alloc();
  av_sha_update(context.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::array<std::uint8_t, kBits / 8> digest{};
  av_sha_final(context.get(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::uint8_t byte : digest) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

}  // namespace facepipe
