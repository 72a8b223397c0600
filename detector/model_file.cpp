#include "detector/model_file.h"

#include <cstdint>
#include <fstream>
#include <system_error>

#include "core/error.h"

namespace facepipe::detector {

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

}  // namespace facepipe::detector
