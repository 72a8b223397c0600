// Computes the SHA-256 of inputs and outputs for reports.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace facepipe::app {

/// Returns the SHA-256 of a file. Returns an empty text if it isn't a regular file, if it can't be
/// read, or if `stop` is requested. If the file can't be read, this function logs a sentence about
/// that, and adds it to `notices`.
[[nodiscard]] std::string hash_if_file(const std::filesystem::path& file,
                                       const std::stop_token& stop,
                                       std::vector<std::string>& notices);

/// Does the same, but only logs the sentence.
[[nodiscard]] std::string hash_if_file(const std::filesystem::path& file,
                                       const std::stop_token& stop);

/// Computes the SHA-256 of a file in a thread of its own, because an input may take long to read.
/// The destructor ends the work.
class HashInBackground {
 public:
  /// Throws Error(internal) if the system can't start a thread.
  explicit HashInBackground(std::filesystem::path file);

  /// Waits for the hash and returns it, as hash_if_file() does. Call it at most once.
  [[nodiscard]] std::string result(const std::stop_token& stop, std::vector<std::string>& notices);

 private:
  std::string hash_;
  std::vector<std::string> notices_;
  std::jthread thread_;  // the last member, so that it ends before the other ones
};

}  // namespace facepipe::app
