// Finds the lines of a file that earlier runs have left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/line_format.h"
#include "core/files/output_file.h"

namespace facepipe::app {

/// Knows where the complete lines of each input are: in the finished file, in the partial file that
/// an interrupted run has left, or in the temporary file of a killed run. An input's name is what
/// LineFormat::input_of() returns.
class EarlierLines {
 public:
  /// @param format  must outlive this object
  explicit EarlierLines(const LineFormat& format) : format_(format) {}

  /// Reads the finished file and the leftovers of `file`, which must have a lock. Allows `file` to
  /// replace them. May be called only once. Throws Stopped. Throws Error(output) if the finished
  /// file contains lines that are not of this format.
  void read(OutputFile& file, const std::stop_token& stop);

  [[nodiscard]] bool has(const std::string& input) const { return lines_.contains(input); }
  [[nodiscard]] std::vector<std::string> inputs() const;
  /// Returns whether all lines are in the finished file.
  [[nodiscard]] bool are_finished() const { return has_finished_file_ && sources_.size() == 1; }

  /// Forgets the lines of an input.
  void drop(const std::string& input);
  /// Passes the lines of an input to `to`, in parts that may end within a line. Throws
  /// Error(output), which names `target`, if the file has changed since it was read.
  void give(const std::string& input, const std::filesystem::path& target,
            const std::function<void(std::string_view)>& to) const;
  /// Returns those of `leftovers` that are no longer needed after all lines were copied: files
  /// whose lines were all read, and temporary files.
  [[nodiscard]] std::vector<std::filesystem::path> superseded(
      std::span<const Leftover> leftovers) const;

 private:
  struct Span {
    std::size_t source = 0;  ///< index in sources_
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  void read_finished(OutputFile& file, const std::stop_token& stop);
  void add_finished(const std::string& input, std::int64_t begin, std::int64_t end);
  void read_leftovers(OutputFile& file);
  [[nodiscard]] bool holds(const std::filesystem::path& path, const OutputPart& part) const;

  const LineFormat& format_;
  std::vector<std::filesystem::path> sources_;
  std::map<std::string, std::vector<Span>> lines_;  // by input
  std::set<std::filesystem::path> not_all_taken_;   // sources with lines that were not copied
  bool has_finished_file_ = false;
};

}  // namespace facepipe::app
