#include "video/file_hash.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

#include "core/error.h"

namespace facepipe {
namespace {

constexpr int kBits = 256;
constexpr std::size_t kPart = std::size_t{1} << 20;

std::string hexadecimal(const std::array<std::uint8_t, kBits / 8>& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& file, const std::stop_token& stop) {
  const auto refuse = [&](const char* reason) {
    throw Error(ErrorKind::input, file.string() + ": " + reason);
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) refuse("is no regular file");
  const std::unique_ptr<AVSHA, decltype(&av_free)> context(av_sha_alloc(), &av_free);
  // The only failures: no memory, and a number of bits that FFmpeg doesn't know.
  if (!context || av_sha_init(context.get(), kBits) < 0) throw std::bad_alloc();
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> part(kPart);
  while (stream) {
    if (stop.stop_requested()) throw Stopped();
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    av_sha_update(context.get(), reinterpret_cast<const std::uint8_t*>(part.data()),
                  static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof()) refuse("can't be read");
  std::array<std::uint8_t, kBits / 8> digest{};
  av_sha_final(context.get(), digest.data());
  return hexadecimal(digest);
}

}  // namespace facepipe
