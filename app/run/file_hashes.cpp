#include "app/run/file_hashes.h"

#include <spdlog/spdlog.h>

#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/sha256.h"
#include "core/threads.h"

namespace facepipe::app {

std::string hash_if_file(const std::filesystem::path& file, const std::stop_token& stop,
                         std::vector<std::string>& notices) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(file, code);
  try {
    // A name without a file, such as a URL, is no failure.
    if (status.type() == std::filesystem::file_type::none)
      throw Error(ErrorKind::input, file.string() + ": can't be read: " + code.message());
    if (!std::filesystem::is_regular_file(status)) return {};
    return sha256_of_file(file, stop);
  } catch (const Error& error) {
    notices.push_back(std::string(error.what()) + ", so its SHA-256 is unknown");
    spdlog::warn("{}", notices.back());
    return {};
  } catch (const Stopped&) {
    return {};
  }
}

std::string hash_if_file(const std::filesystem::path& file, const std::stop_token& stop) {
  std::vector<std::string> logged;
  return hash_if_file(file, stop, logged);
}

HashInBackground::HashInBackground(std::filesystem::path file)
    : thread_(start_thread([this, file = std::move(file)](const std::stop_token& stop) {
        hash_ = hash_if_file(file, stop, notices_);
      })) {}

std::string HashInBackground::result(const std::stop_token& stop,
                                     std::vector<std::string>& notices) {
  const std::stop_callback ends(stop, [this] { thread_.request_stop(); });
  thread_.join();
  notices.insert(notices.end(), notices_.begin(), notices_.end());
  return std::move(hash_);
}

}  // namespace facepipe::app
