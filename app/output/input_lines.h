// A text file whose lines belong to inputs, and which a later run can go on with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/options/options.h"
#include "app/output/earlier_lines.h"
#include "app/output/line_format.h"
#include "core/files/output_file.h"

namespace facepipe::app {

/// Each input's lines are in the file completely or not at all, whenever the program ends: an input
/// begins after the one before was kept or forgotten. A run that resumes another one
/// (ExistingOutput::skip) finds the complete inputs of that run (EarlierLines). Lines of inputs
/// that it doesn't work on stay.
///
/// Inputs are named as LineFormat::input_of() gives them. A FIFO or device gets each line at once,
/// and what it has can't be forgotten. Not thread-safe. Errors: Error(output), naming the file.
class InputLines {
 public:
  /// Errors: also a file that exists, with ExistingOutput::refuse; with skip, one that holds other
  /// lines than those of this format.
  InputLines(const std::filesystem::path& path, LineFormat format, ExistingOutput existing,
             const std::stop_token& stop);
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  /// Appends to the lines of the current input.
  void write(std::string_view lines);
  /// The current input is complete.
  void keep(const std::string& input);
  /// The current input's lines stay, but it is not complete.
  void keep_unfinished(const std::string& input);
  /// The current input's lines go.
  void forget();
  /// After a failure: all lines of the current input go, or only a line that isn't whole.
  void give_up(bool whole_input);

  /// Tells whether an earlier run has completed the input.
  [[nodiscard]] bool has(const std::string& input) const { return earlier_.has(input); }
  /// Forgets what an earlier run has of the input. If two inputs have the same name, nobody can
  /// tell whose lines these are.
  void drop(const std::string& input) { earlier_.drop(input); }
  /// Copies the lines that an earlier run has of the input.
  void take(const std::string& input);
  /// Tells whether there is more to keep than the header.
  [[nodiscard]] bool any() const;
  /// Tells whether commit() would leave the file as it is.
  [[nodiscard]] bool changes_nothing() const;

  /// Gives the file its name, and removes what earlier runs left of it. Called once, last.
  void commit();
  /// Gives the file a partial name, which it returns. Called once, last.
  std::filesystem::path keep_partial();

 private:
  void take_rest();
  void flush();

  const LineFormat format_;
  OutputFile file_;
  EarlierLines earlier_;
  std::set<std::string> done_;  ///< inputs that were kept or taken in this run
  std::string pending_;         ///< follows what is in the file
  std::int64_t kept_ = 0;       ///< where the current input begins
  std::int64_t lines_ = 0;      ///< where its last whole line ends
};

}  // namespace facepipe::app
