#include "app/output/earlier_lines.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestLine = std::size_t{64} << 20U;

[[noreturn]] void refuse_foreign(const fs::path& path, std::int64_t line) {
  throw Error(ErrorKind::output,
              path.string() + ": exists already, and this run can't continue it: line " +
                  std::to_string(line) +
                  " is incomplete or has another format (--overwrite replaces the file)");
}

/// Reads complete lines.
class LineReader {
 public:
  /// @param quotes  whether a field in quotes may contain line breaks, as in CSV
  LineReader(const fs::path& path, bool quotes, std::int64_t begin = 0)
      : path_(path), quotes_(quotes), stream_(path, std::ios::binary) {
    if (!stream_.is_open()) refuse();
    stream_.seekg(begin);
  }

  /// Returns the next line without its end; nullopt at the end of the file. Sets `whole` to whether
  /// the line had an end. Errors: Error(output).
  std::optional<std::string_view> next(bool& whole) {
    line_.clear();
    whole = false;
    bool open = false;
    for (std::string piece; std::getline(stream_, piece);) {
      whole = !stream_.eof();
      line_ += piece;
      if (quotes_) open ^= std::count(piece.begin(), piece.end(), '"') % 2 != 0;
      if (!open || !whole || line_.size() > kLongestLine) return line_;
      line_ += '\n';
    }
    if (stream_.bad()) refuse();
    return line_.empty() ? std::nullopt : std::optional<std::string_view>(line_);
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error(ErrorKind::output, path_.string() + ": exists already, and can't be read");
  }

  const fs::path path_;
  bool quotes_;
  std::ifstream stream_;
  std::string line_;
};

}  // namespace

void EarlierLines::read(OutputFile& file, const std::stop_token& stop) {
  std::error_code error;
  has_finished_file_ = fs::exists(file.target(), error);
  if (has_finished_file_) read_finished(file, stop);
  read_leftovers(file);
}

void EarlierLines::read_finished(OutputFile& file, const std::stop_token& stop) {
  file.may_replace_what_is_there();
  sources_.push_back(file.target());
  LineReader reader(file.target(), !format_.header.empty());
  std::int64_t position = 0;
  std::int64_t number = 0;
  bool whole = false;
  while (const auto line = reader.next(whole)) {
    if (stop.stop_requested()) throw Stopped();
    const std::int64_t begin = position;
    position += static_cast<std::int64_t>(line->size()) + 1;
    if (!whole) refuse_foreign(file.target(), number + 1);
    if (++number == 1 && !format_.header.empty()) {
      if (std::string(*line) + '\n' != format_.header) refuse_foreign(file.target(), 1);
      continue;
    }
    const auto input = format_.input_of(*line);
    if (!input) refuse_foreign(file.target(), number);
    add_finished(std::string(*input), begin, position);
  }
}

void EarlierLines::add_finished(const std::string& input, std::int64_t begin, std::int64_t end) {
  std::vector<Span>& spans = lines_[input];
  if (!spans.empty() && spans.back().end == begin)
    spans.back().end = end;
  else
    spans.push_back({sources_.size() - 1, begin, end});
}

/// If the finished file and a leftover both contain lines of an input, the newer file is used. (A
/// run may have finished the file, and been killed before it could remove the leftovers whose lines
/// it had copied.)
void EarlierLines::read_leftovers(OutputFile& file) {
  std::error_code error;
  const fs::file_time_type finished = fs::last_write_time(file.target(), error);
  for (const Leftover& leftover : file.lock()->leftovers()) {
    sources_.push_back(leftover.path);
    const bool older = has_finished_file_ && fs::last_write_time(leftover.path, error) < finished;
    for (const OutputPart& part : leftover.parts) {
      if (!holds(leftover.path, part))
        not_all_taken_.insert(leftover.path);
      else if (!older || !lines_.contains(part.name))
        lines_[part.name] = {{sources_.size() - 1, part.begin, part.end}};
    }
  }
}

/// Returns whether the file really has the lines. After a power cut, the record may list lines that
/// were not yet written to the disk, and there may be zeros in the middle of the file.
bool EarlierLines::holds(const fs::path& path, const OutputPart& part) const {
  LineReader reader(path, !format_.header.empty(), part.begin);
  std::int64_t position = part.begin;
  bool whole = false;
  while (position < part.end) {
    const auto line = reader.next(whole);
    if (!line || !whole || format_.input_of(*line) != part.name) return false;
    position += std::ssize(*line) + 1;
  }
  return position == part.end;
}

std::vector<std::string> EarlierLines::inputs() const {
  std::vector<std::string> names;
  for (const auto& [input, spans] : lines_) names.push_back(input);
  return names;
}

void EarlierLines::drop(const std::string& input) {
  const auto found = lines_.find(input);
  if (found == lines_.end()) return;
  for (const Span& span : found->second) not_all_taken_.insert(sources_[span.source]);
  lines_.erase(found);
}

void EarlierLines::give(const std::string& input, const fs::path& target,
                        const std::function<void(std::string_view)>& to) const {
  std::array<char, 65536> buffer{};
  for (const Span& span : lines_.at(input)) {
    const fs::path& path = sources_[span.source];
    std::ifstream source(path, std::ios::binary);
    source.seekg(span.begin);
    for (std::int64_t left = span.end - span.begin; left > 0;) {
      const auto wanted = std::min<std::int64_t>(left, std::ssize(buffer));
      if (!source.read(buffer.data(), wanted))
        throw Error(ErrorKind::output, target.string() + ": " + path.string() +
                                           " changed while this run copied its lines");
      to({buffer.data(), static_cast<std::size_t>(wanted)});
      left -= wanted;
    }
  }
}

std::vector<fs::path> EarlierLines::superseded(std::span<const Leftover> leftovers) const {
  std::vector<fs::path> files;
  for (const Leftover& leftover : leftovers) {
    std::error_code error;
    const bool read = std::ranges::find(sources_, leftover.path) != sources_.end();
    const bool whole =
        std::cmp_equal(fs::file_size(leftover.path, error), leftover.parts.back().end) && !error;
    const bool taken = read && whole && !not_all_taken_.contains(leftover.path);
    if (!leftover.kept || taken) files.push_back(leftover.path);
  }
  return files;
}

}  // namespace facepipe::app
