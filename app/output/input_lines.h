// A text file whose lines belong to inputs, and which a later run can go on with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"
#include "core/files/output_file.h"

namespace facepipe::app {

/// What a line looks like.
struct LineFormat {
  std::string header;  ///< the first line, with its line break; empty if there is none
  /// The input that a line belongs to, as it is written there; nothing if the line isn't ours.
  std::optional<std::string_view> (*input_of)(std::string_view line) = nullptr;
};

/// Each input's lines are in the file completely or not at all, whenever the program ends: an input
/// begins after the one before was kept or forgotten. A run that resumes another
/// (ExistingOutput::skip) finds that one's complete inputs in the file itself, in what it left when
/// it was interrupted, and in its temporary file if it was killed; lines of inputs that it doesn't
/// work on stay.
///
/// Inputs are named as LineFormat::input_of() gives them. A FIFO or device gets each line at once,
/// and what it has can't be forgotten. Not thread-safe. Errors: Error(output), naming the file.
class InputLines {
 public:
  /// Errors: also a file that exists, with ExistingOutput::refuse; with skip, one that holds other
  /// lines than ours.
  InputLines(const std::filesystem::path& path, LineFormat format, ExistingOutput existing,
             const std::stop_token& stop);

  /// Appends to the lines of the current input.
  void write(std::string_view lines);
  /// The current input is complete.
  void keep(const std::string& input);
  /// The current input's lines stay, but it is not complete.
  void keep_unfinished(const std::string& input);
  void forget();
  /// After a failure: whatever is there of the current input goes, or only what is half a line.
  void give_up(bool whole_input);

  /// Whether an earlier run has completed the input.
  [[nodiscard]] bool has(const std::string& input) const { return earlier_.contains(input); }
  /// Forgets that: where two inputs go by one name, nobody can tell whose the lines are.
  void drop(const std::string& input);
  /// Copies its lines.
  void take(const std::string& input);
  /// Whether there is more to keep than the header.
  [[nodiscard]] bool any() const;
  /// Whether commit() would leave the file as it is.
  [[nodiscard]] bool changes_nothing() const;

  /// The file gets its name; what earlier runs left of it goes. Called once, last.
  void commit();
  /// The file gets a partial name, which is returned. Called once, last.
  std::filesystem::path keep_partial();

 private:
  struct Span {
    std::size_t source = 0;  ///< of sources_
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  void read_finished();
  void read_leftovers();
  [[nodiscard]] bool holds(const std::filesystem::path& path, const OutputPart& part) const;
  void copy(const Span& span);
  void take_rest();
  void flush();
  [[nodiscard]] std::vector<std::filesystem::path> superseded();

  LineFormat format_;
  OutputFile file_;
  std::vector<std::filesystem::path> sources_;
  std::map<std::string, std::vector<Span>> earlier_;
  std::set<std::string> done_;                     ///< kept or taken in this run
  std::set<std::filesystem::path> not_all_taken_;  ///< sources with lines that were not used
  std::stop_token stop_;
  bool finished_before_ = false;
  std::string pending_;     ///< follows what is in the file
  std::int64_t kept_ = 0;   ///< where the current input begins
  std::int64_t lines_ = 0;  ///< where its last whole line ends
};

/// `path`, unless it exists and `existing` refuses that: then Error(output).
[[nodiscard]] const std::filesystem::path& checked_target(const std::filesystem::path& path,
                                                          ExistingOutput existing);
/// With skip a file is replaced only if it was read: OutputFile::may_replace_what_is_there().
[[nodiscard]] ExistingTarget at_the_end(ExistingOutput existing);

/// {"file":NAME, ...}: the name with its quotes.
[[nodiscard]] std::optional<std::string_view> input_of_json(std::string_view line);
/// The first field, with its quotes if it has them.
[[nodiscard]] std::optional<std::string_view> input_of_csv(std::string_view line);

}  // namespace facepipe::app
