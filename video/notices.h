// What a run dropped, converted or mended: told once in the log, and again in the report.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace facepipe::video {

enum class NoticeLog { told, silent };

/// Thread-safe. A sentence that was told already is not told again.
class Notices {
 public:
  /// @param input  named in front of each line of the log
  /// @param log    silent: of who looks at an input that others tell of
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

/// Tells of something that is lost. Where nothing may be lost (`strict`), throws Error(output) that
/// names `file`, the input or the output, instead.
void tell_lost(Notices& notices, const std::string& sentence, bool strict, const std::string& file);

}  // namespace facepipe::video
