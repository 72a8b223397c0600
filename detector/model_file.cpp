#include "detector/model_file.h"

#include <fstream>
#include <system_error>

#include "core/error.h"

namespace facepipe::detector {

void refuse_model(const std::filesystem::path& file, const std::string& reason) {
  throw Error(ErrorKind::device, "model " + file.string() + ": " + reason);
}

std::string read_file(const std::filesystem::path& file, const FileLimit& limit,
                      const std::function<void(const std::string& reason)>& refuse) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) refuse("no such file");
  if (!std::filesystem::is_regular_file(status)) refuse("not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(file, failure);
  if (failure) refuse(failure.message());
  if (size > limit.bytes) refuse(limit.reason);
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) refuse("can't be read");
  return bytes;
}

std::string read_model_file(const std::filesystem::path& file) {
  constexpr FileLimit kLimit{std::uintmax_t{1} << 30, "larger than 1 GiB"};
  std::string bytes =
      read_file(file, kLimit, [&](const std::string& reason) { refuse_model(file, reason); });
  if (bytes.empty()) refuse_model(file, "empty file");
  return bytes;
}

}  // namespace facepipe::detector
