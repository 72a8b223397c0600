// Checks that the lines of a review's log belong together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

namespace facepipe::app {

/// Returns the log that belongs to an edit file: "clip.edits.log.jsonl" for "clip.edits.json".
[[nodiscard]] std::filesystem::path log_of(const std::filesystem::path& edits);

/// The member of a line "saved" with the SHA-256 of the edit file.
inline constexpr const char* kEditsSha256 = "edits_sha256";
/// The member of each line with the name of the person who reviews.
inline constexpr const char* kReviewer = "reviewer";

/// Follows the hashes from line to line: each line names the hash of the line before.
class LogChain {
 public:
  LogChain();

  /// Takes the next line, without its line break, and returns its JSON object. Errors:
  /// Error(input) with the line's number and the reason, but without the log's name.
  nlohmann::ordered_json add(std::string_view line);
  /// Takes the next line, without its line break, which this program has made as lines() and
  /// last_hash() say.
  void add_own(std::string_view line);

  /// Returns how many lines there are.
  [[nodiscard]] std::int64_t lines() const { return lines_; }
  /// Returns the hash of the last line; 64 zeros if there is none.
  [[nodiscard]] const std::string& last_hash() const { return last_hash_; }

 private:
  std::int64_t lines_ = 0;
  std::string last_hash_;
};

/// Reads a whole log and gives each line's object to `take`. Ignores a last line without its line
/// break, which a killed program has left. Returns the chain. Errors: Error(input), as add().
LogChain read_log(const std::filesystem::path& log,
                  const std::function<void(const nlohmann::ordered_json&)>& take);

/// Holds what a log says about the edit file beside it.
struct LogFacts {
  std::string log;                  ///< its name; empty: there is no log
  std::int64_t lines = 0;           ///< those before the first fault
  std::string last_sha256;          ///< of the last line; empty if there is a fault
  std::set<std::string> reviewers;  ///< who has decided
  /// Why the log doesn't prove who has decided what the edit file says; empty: it does.
  std::string fault;
};

/// Reads the log beside an edit file, and checks its chain. The log has a fault if the chain is
/// broken, or if the edit file is not the one that the review saved last.
/// @param edits_sha256  of the edit file; empty if it is unknown, which is a fault
[[nodiscard]] LogFacts facts_of_log(const std::filesystem::path& edits,
                                    const std::string& edits_sha256);

}  // namespace facepipe::app
