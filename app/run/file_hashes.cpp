#include "app/run/file_hashes.h"

#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/sha256.h"
#include "core/threads.h"

namespace facepipe::app {

std::string hash_if_file(const std::filesystem::path& file, const std::stop_token& stop) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {};
  try {
    return sha256_of_file(file, stop);
  } catch (const Error&) {
    return {};
  } catch (const Stopped&) {
    return {};
  }
}

HashInBackground::HashInBackground(std::filesystem::path file)
    : thread_(start_thread([this, file = std::move(file)](const std::stop_token& stop) {
        hash_ = hash_if_file(file, stop);
      })) {}

std::string HashInBackground::result(const std::stop_token& stop) {
  const std::stop_callback ends(stop, [this] { thread_.request_stop(); });
  thread_.join();
  return std::move(hash_);
}

}  // namespace facepipe::app
