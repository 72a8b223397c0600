// Collects sentences about what a run dropped, converted or repaired. Each sentence is logged once,
// and appears again in the report.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace facepipe::video {

enum class NoticeLog { told, silent };

/// Collects the sentences of one input. A sentence that is added again is not logged again.
/// Thread-safe.
class Notices {
 public:
  /// @param input  begins each line of the log
  /// @param log    silent if another object logs the notices of this input
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

/// Adds a notice about something that is lost. If `strict`, it throws Error(output) instead, which
/// names `file` (the input or the output).
void note_lost(Notices& notices, const std::string& sentence, bool strict, const std::string& file);

}  // namespace facepipe::video
