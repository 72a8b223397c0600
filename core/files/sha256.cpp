#include "core/files/sha256.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <new>
#include <system_error>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

#include "core/error.h"

namespace facepipe {
namespace {

constexpr int kBits = 256;
constexpr std::size_t kPart = std::size_t{1} << 20;

class Sha256 {
 public:
  Sha256() : context_(av_sha_alloc(), &av_free) {
    // av_sha_init() fails only if there is no memory, or if FFmpeg doesn't know this number of
    // bits.
    if (!context_ || av_sha_init(context_.get(), kBits) < 0) throw std::bad_alloc();
  }

  void add(std::string_view bytes) {
    av_sha_update(context_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()),
                  bytes.size());
  }

  /// Returns the hash of all that was added. Called once.
  [[nodiscard]] std::string hexadecimal() {
    std::array<std::uint8_t, kBits / 8> digest{};
    av_sha_final(context_.get(), digest.data());
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : digest) {
      text.push_back(kDigits[byte >> 4]);
      text.push_back(kDigits[byte & 15]);
    }
    return text;
  }

 private:
  std::unique_ptr<AVSHA, decltype(&av_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hexadecimal();
}

std::string sha256_of_file(const std::filesystem::path& file, const std::stop_token& stop) {
  const auto refuse = [&](const char* reason) {
    throw Error(ErrorKind::input, file.string() + ": " + reason);
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) refuse("is not a regular file");
  Sha256 hash;
  std::ifstream stream(file, std::ios::binary);
  std::string part(kPart, '\0');
  while (stream) {
    if (stop.stop_requested()) throw Stopped();
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    hash.add({part.data(), static_cast<std::size_t>(stream.gcount())});
  }
  if (!stream.eof()) refuse("can't be read");
  return hash.hexadecimal();
}

}  // namespace facepipe
