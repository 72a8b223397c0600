// The lines that earlier runs have left of a file.
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

/// Knows where the complete lines of each input are: in the finished file, in what an interrupted
/// run has left, or in the temporary file of a killed run. Names of inputs are those of
/// LineFormat::input_of().
class EarlierLines {
 public:
  /// @param format  outlives this object
  explicit EarlierLines(const LineFormat& format) : format_(format) {}

  /// Reads all that is there of `file`, which must have a lock, and lets it replace what was read.
  /// Called once at most. Throws Stopped; Error(output) if the finished file holds other lines than
  /// those of this format.
  void read(OutputFile& file, const std::stop_token& stop);

  [[nodiscard]] bool has(const std::string& input) const { return lines_.contains(input); }
  [[nodiscard]] std::vector<std::string> inputs() const;
  /// Tells whether all lines are in the finished file.
  [[nodiscard]] bool are_finished() const { return has_finished_file_ && sources_.size() == 1; }

  /// Forgets the lines of an input.
  void drop(const std::string& input);
  /// Gives the lines of an input, in parts that end anywhere. Throws Error(output), which names the
  /// target, if the file has changed since it was read.
  void give(const std::string& input, const std::filesystem::path& target,
            const std::function<void(std::string_view)>& to) const;
  /// Returns the files of `leftovers` that nobody needs once all lines were taken, because each of
  /// their lines was read, or because they have nothing of value.
  [[nodiscard]] std::vector<std::filesystem::path> superseded(
      std::span<const Leftover> leftovers) const;

 private:
  struct Span {
    std::size_t source = 0;  ///< of sources_
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
  std::set<std::filesystem::path> not_all_taken_;   // sources with lines that are not used
  bool has_finished_file_ = false;
};

}  // namespace facepipe::app
