// Collects what a run dropped, converted or mended. It is logged once, and appears again in the
// report.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace facepipe::video {

enum class NoticeLog { told, silent };

/// Thread-safe. A sentence is logged only once, even if it is added again.
class Notices {
 public:
  /// @param input  is named in front of each line of the log
  /// @param log    silent if somebody else logs the notices of this input
  explicit Notices(std::string input, NoticeLog log = NoticeLog::told)
      : input_(std::move(input)), log_(log) {}

  void add(const std::string& sentence);
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  std::string input_;
  NoticeLog log_;
  mutable std::mutex mutex_;
  std::vector<std::string> sentences_;
};

/// Reports that something is lost. If nothing may be lost (`strict`), it throws Error(output)
/// instead, which names `file`, the input or the output.
void tell_lost(Notices& notices, const std::string& sentence, bool strict, const std::string& file);

}  // namespace facepipe::video
