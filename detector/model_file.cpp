#include "detector/model_file.h"

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

void refuse_model(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorKind::device, "model " + file.string() + ": " + reason);
}

std::string read_model_file(const std::filesystem::path& file) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30;
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) refuse_model(file, "no such file");
  if (!std::filesystem::is_regular_file(status)) refuse_model(file, "not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) refuse_model(file, failure.message());
  if (size == 0) refuse_model(file, "empty file");
  if (size > kLargest) refuse_model(file, "larger than 1 GiB");
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse_model(file, "can't be read");
  return bytes;
}

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
