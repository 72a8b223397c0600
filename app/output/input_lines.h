// Writes a text file whose lines belong to inputs. A later run can continue the file.
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

/// For each input, the file contains all of its lines or none, no matter when the program ends. The
/// next input may begin only after the current input was kept or forgotten. A run that resumes an
/// earlier run (ExistingOutput::skip) finds the complete inputs of the earlier run (EarlierLines).
/// The file keeps the lines of inputs that the new run doesn't work on.
///
/// An input's name is what LineFormat::input_of() returns. A FIFO or a device gets each line at
/// once, and can't forget lines. Not thread-safe. All functions throw Error(output), which names
/// the file.
class InputLines {
 public:
  /// Also throws Error(output) if the file exists and `existing` is ExistingOutput::refuse; with
  /// ExistingOutput::skip, if the file contains lines that are not of this format.
  InputLines(const std::filesystem::path& path, LineFormat format, ExistingOutput existing,
             const std::stop_token& stop);
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  /// Appends to the lines of the current input.
  void write(std::string_view lines);
  /// Ends the current input, which is complete.
  void keep(const std::string& input);
  /// Ends the current input, which is not complete. Its lines stay.
  void keep_unfinished(const std::string& input);
  /// Ends the current input, and removes its lines.
  void forget();
  /// Must be called after a failure. Removes all lines of the current input if `whole_input` is
  /// true, otherwise only an incomplete line.
  void give_up(bool whole_input);

  /// Returns whether an earlier run has completed the input.
  [[nodiscard]] bool has(const std::string& input) const { return earlier_.has(input); }
  /// Forgets the lines that an earlier run has written for the input. The caller needs this if two
  /// inputs have the same name: nobody knows to which input the lines belong.
  void drop(const std::string& input) { earlier_.drop(input); }
  /// Copies the lines that an earlier run has written for the input.
  void take(const std::string& input);
  /// Returns whether there is something to keep besides the header.
  [[nodiscard]] bool any() const;
  /// Returns whether commit() would leave the file unchanged.
  [[nodiscard]] bool changes_nothing() const;

  /// Gives the file its name, and removes the partial and temporary files that earlier runs left.
  /// Must be called once, at the end.
  void commit();
  /// Gives the file a partial name, and returns this name. Must be called once, at the end, instead
  /// of commit().
  std::filesystem::path keep_partial();

 private:
  void take_rest();
  void flush();

  const LineFormat format_;
  OutputFile file_;
  EarlierLines earlier_;
  std::set<std::string> done_;  ///< inputs that were kept or taken in this run
  std::string pending_;         ///< text that is not yet written to the file
  std::int64_t kept_ = 0;       ///< position where the current input begins
  std::int64_t lines_ = 0;      ///< position where its last complete line ends
};

}  // namespace facepipe::app
