// Writes who decided what, and when, into a file in which nobody can change a line unnoticed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "app/review/log_chain.h"

namespace facepipe::app {

// Names of members of a line: arrays with the ids of tracks that a decision marks as looked at, or
// no longer marks so because it takes another decision back.
inline constexpr const char* kLookedAt = "looked_at";
inline constexpr const char* kNotLookedAt = "not_looked_at";

/// Follows which tracks somebody has looked at, from line to line of a log.
class LookedAt {
 public:
  void note(const nlohmann::ordered_json& entry);
  /// Returns the ids of the tracks that somebody has looked at, as far as the edit file was saved.
  [[nodiscard]] const std::set<std::int64_t>& ids() const { return ids_; }
  /// Returns how many decisions there are after the last time that the edit file was saved.
  [[nodiscard]] std::int64_t unsaved() const { return unsaved_; }

 private:
  std::set<std::int64_t> ids_;
  std::map<std::int64_t, bool> pending_;  ///< what ids_ becomes if the edit file is saved
  std::int64_t unsaved_ = 0;
};

/// Returns LookedAt::ids() of the log beside an edit file; empty if there is no log. Errors:
/// Error(input) if its chain is broken.
[[nodiscard]] std::set<std::int64_t> looked_at_by_log(const std::filesystem::path& edits);

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

  /// Returns what the log said about this when it was opened.
  [[nodiscard]] const std::set<std::int64_t>& looked_at() const { return looked_at_.ids(); }
  [[nodiscard]] std::int64_t unsaved() const { return looked_at_.unsaved(); }
  /// Returns how many lines the log has.
  [[nodiscard]] std::int64_t lines() const { return chain_.lines(); }
  /// Returns the hash of the last line; 64 zeros if there is none.
  [[nodiscard]] const std::string& last_hash() const { return chain_.last_hash(); }

  /// Writes a line. Errors: Error(output).
  void add(const nlohmann::ordered_json& entry);
  /// Returns when the disk has all lines. Errors: Error(output).
  void sync() const;

 private:
  void open();
  void read_earlier_lines();
  void check(const std::string& line);
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  int file_ = -1;
  LogChain chain_;
  std::int64_t bytes_ = 0;  ///< length of the file
  LookedAt looked_at_;
};

}  // namespace facepipe::app
