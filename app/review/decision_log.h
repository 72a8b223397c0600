// Writes who decided what, and when, into a file in which nobody can change a line unnoticed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace facepipe::app {

/// Returns the log that belongs to an edit file: "clip.edits.log.jsonl" for "clip.edits.json".
[[nodiscard]] std::filesystem::path log_of(const std::filesystem::path& edits);

// Names of members of a line: arrays with the ids of tracks that a decision marks as looked at, or
// no longer marks so because it takes another decision back.
inline constexpr const char* kLookedAt = "looked_at";
inline constexpr const char* kNotLookedAt = "not_looked_at";

/// Appends lines to a log. Each line is a JSON object with the members that add() gets, and then
/// these three: `line` (1, 2, ...), `time` (UTC) and `previous`, the SHA-256 of the line before
/// without its line break. `previous` of the first line is 64 zeros. So whoever changes, adds or
/// removes a line in the middle breaks the chain. The object keeps a lock on the file, so that two
/// reviews don't write to it. Not thread-safe.
class DecisionLog {
 public:
  /// Opens the log, or makes it with permissions for its owner only, and checks the chain of its
  /// lines. A last line without its line break is what a killed program has left: it is removed.
  /// Errors: Error(input) if it is not such a log or its chain is broken; Error(output) if it can't
  /// be written, or if another program has it open.
  explicit DecisionLog(std::filesystem::path path);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  /// Returns the ids of the tracks that somebody has looked at, as far as the edit file was saved.
  [[nodiscard]] const std::set<std::int64_t>& looked_at() const { return looked_at_; }
  /// Returns how many decisions the log had, when it was opened, after the last time that the edit
  /// file was saved.
  [[nodiscard]] std::int64_t unsaved() const { return unsaved_; }
  /// Returns how many lines the log has.
  [[nodiscard]] std::int64_t lines() const { return lines_; }
  /// Returns the hash of the last line; 64 zeros if there is none.
  [[nodiscard]] const std::string& last_hash() const { return last_hash_; }

  /// Writes a line. Errors: Error(output).
  void add(const nlohmann::ordered_json& entry);
  /// Returns when the disk has all lines. Errors: Error(output).
  void sync() const;

 private:
  void open();
  void read_earlier_lines();
  void check(const std::string& line);
  void look_at(const nlohmann::ordered_json& entry);
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::int64_t lines_ = 0;
  std::string last_hash_;
  std::int64_t bytes_ = 0;  ///< length of the file
  std::set<std::int64_t> looked_at_;
  std::map<std::int64_t, bool> pending_;  ///< what looked_at_ becomes if the edit file is saved
  std::int64_t unsaved_ = 0;
};

}  // namespace facepipe::app
