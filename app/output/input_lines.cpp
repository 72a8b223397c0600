#include "app/output/input_lines.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

#include "app/failure.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPendingBytes = std::size_t{64} << 10U;
constexpr std::size_t kLongestLine = std::size_t{64} << 20U;

[[noreturn]] void refuse_foreign(const fs::path& path, std::int64_t line) {
  throw Error(ErrorKind::output, path.string() +
                                     ": exists already, and can't be gone on with: line " +
                                     std::to_string(line) +
                                     " is not what this run would write (--overwrite replaces it)");
}

/// Reads whole lines.
class LineReader {
 public:
  /// @param quotes  a field in quotes may hold line breaks, as in CSV
  LineReader(const fs::path& path, bool quotes, std::int64_t begin = 0)
      : quotes_(quotes), stream_(path, std::ios::binary) {
    stream_.seekg(begin);
  }

  /// The next line without its end; nothing at the end of the file. `whole` tells whether it had
  /// one.
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
    return line_.empty() ? std::nullopt : std::optional<std::string_view>(line_);
  }

 private:
  bool quotes_;
  std::ifstream stream_;
  std::string line_;
};

}  // namespace

ExistingTarget at_the_end(ExistingOutput existing) {
  return existing == ExistingOutput::overwrite ? ExistingTarget::replace : ExistingTarget::refuse;
}

const fs::path& checked_target(const fs::path& path, ExistingOutput existing) {
  std::error_code error;
  const bool there = fs::exists(fs::symlink_status(path, error)) && !is_stream_target(path);
  if (there && existing == ExistingOutput::refuse)
    throw Error(ErrorKind::output, path.string() + ": exists already (--overwrite replaces it)");
  return path;
}

std::optional<std::string_view> input_of_json(std::string_view line) {
  constexpr std::string_view kBegin = R"({"file":)";
  if (!line.starts_with(std::string(kBegin) + '"') || !line.ends_with('}')) return std::nullopt;
  std::size_t i = kBegin.size() + 1;
  while (i < line.size() && line[i] != '"') i += line[i] == '\\' ? 2 : 1;
  if (i + 1 >= line.size()) return std::nullopt;
  return line.substr(kBegin.size(), i + 1 - kBegin.size());
}

std::optional<std::string_view> input_of_csv(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ',' && !quoted) return line.substr(0, i);
  }
  return std::nullopt;
}

InputLines::InputLines(const fs::path& path, LineFormat format, ExistingOutput existing,
                       const std::stop_token& stop)
    : format_(std::move(format)),
      file_(checked_target(path, existing), at_the_end(existing), stop),
      stop_(stop) {
  if (existing == ExistingOutput::skip && file_.seekable()) {
    read_finished();
    read_leftovers();
  }
  write(format_.header);
  flush();
  kept_ = lines_;
}

void InputLines::read_finished() {
  std::error_code error;
  finished_before_ = fs::exists(file_.target(), error);
  if (!finished_before_) return;
  file_.may_replace_what_is_there();
  sources_.push_back(file_.target());
  LineReader reader(file_.target(), !format_.header.empty());
  std::int64_t position = 0;
  std::int64_t number = 0;
  bool whole = false;
  while (const auto line = reader.next(whole)) {
    if (stop_.stop_requested()) throw Stopped();
    const std::int64_t begin = position;
    position += static_cast<std::int64_t>(line->size()) + 1;
    if (!whole) refuse_foreign(file_.target(), number + 1);
    if (++number == 1 && !format_.header.empty()) {
      if (std::string(*line) + '\n' != format_.header) refuse_foreign(file_.target(), 1);
      continue;
    }
    const auto input = format_.input_of(*line);
    if (!input) refuse_foreign(file_.target(), number);
    std::vector<Span>& spans = earlier_[std::string(*input)];
    if (!spans.empty() && spans.back().end == begin)
      spans.back().end = position;
    else
      spans.push_back({sources_.size() - 1, begin, position});
  }
}

/// What was made later counts: a file may have been finished by a run that was killed before it
/// could remove what it had taken over.
void InputLines::read_leftovers() {
  std::error_code error;
  const fs::file_time_type finished = fs::last_write_time(file_.target(), error);
  for (const Leftover& leftover : file_.lock()->leftovers()) {
    sources_.push_back(leftover.path);
    const bool older = finished_before_ && fs::last_write_time(leftover.path, error) < finished;
    for (const OutputPart& part : leftover.parts) {
      if (!holds(leftover.path, part))
        not_all_taken_.insert(leftover.path);
      else if (!older || !earlier_.contains(part.name))
        earlier_[part.name] = {{sources_.size() - 1, part.begin, part.end}};
    }
  }
}

/// After a power cut the record may know more than the file: lines of the input are there, or not.
bool InputLines::holds(const fs::path& path, const OutputPart& part) const {
  if (part.begin == part.end) return true;
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(part.end - 1);
  if (stream.get() != '\n') return false;
  LineReader reader(path, !format_.header.empty(), part.begin);
  bool whole = false;
  const auto line = reader.next(whole);
  return line && whole && format_.input_of(*line) == part.name;
}

void InputLines::write(std::string_view lines) {
  pending_ += lines;
  if (pending_.size() >= kPendingBytes || !file_.seekable()) flush();
}

void InputLines::flush() {
  // What is taken leaves at once: after a failure it must not be written again.
  const std::string taken = std::exchange(pending_, {});
  const std::int64_t before = file_.size();
  const int code = file_.write(std::as_bytes(std::span(taken)));
  if (code == 0) {
    lines_ = file_.size();
    return;
  }
  const auto got = static_cast<std::size_t>(file_.size() - before);
  const std::size_t last = taken.substr(0, got).rfind('\n');
  if (last != std::string::npos) lines_ = before + static_cast<std::int64_t>(last) + 1;
  file_.fail(code);
}

void InputLines::keep(const std::string& input) {
  flush();
  done_.insert(input);
  if (OutputLock* const lock = file_.lock()) lock->completed({input, kept_, file_.size()});
  kept_ = file_.size();
}

void InputLines::keep_unfinished(const std::string& input) {
  flush();
  done_.insert(input);  // what an earlier run has of it is not wanted beside these
  kept_ = file_.size();
}

void InputLines::drop(const std::string& input) {
  const auto found = earlier_.find(input);
  if (found == earlier_.end()) return;
  for (const Span& span : found->second) not_all_taken_.insert(sources_[span.source]);
  earlier_.erase(found);
}

bool InputLines::any() const {
  return file_.seekable() && file_.size() > static_cast<std::int64_t>(format_.header.size());
}

void InputLines::forget() {
  if (!file_.seekable()) return;
  pending_.clear();
  if (file_.size() <= kept_) return;
  if (const int code = file_.truncate(kept_); code != 0) file_.fail(code);
  lines_ = kept_;
}

void InputLines::give_up(bool whole_input) {
  if (!file_.seekable()) return;
  pending_.clear();
  if (const int code = file_.truncate(whole_input ? kept_ : lines_); code != 0) file_.fail(code);
  kept_ = file_.size();
}

void InputLines::take(const std::string& input) {
  const auto found = earlier_.find(input);
  if (found == earlier_.end() || done_.contains(input)) return;
  for (const Span& span : found->second) copy(span);
  keep(input);
}

void InputLines::copy(const Span& span) {
  const fs::path& path = sources_[span.source];
  std::ifstream source(path, std::ios::binary);
  source.seekg(span.begin);
  std::array<char, 65536> buffer{};
  for (std::int64_t left = span.end - span.begin; left > 0;) {
    const auto wanted = std::min<std::int64_t>(left, std::ssize(buffer));
    if (!source.read(buffer.data(), wanted))
      throw Error(ErrorKind::output, file_.target().string() + ": " + path.string() +
                                         " changed while the run took its lines over");
    write({buffer.data(), static_cast<std::size_t>(wanted)});
    left -= wanted;
  }
}

void InputLines::take_rest() {
  for (const auto& [input, spans] : earlier_) take(input);
}

bool InputLines::changes_nothing() const {
  return finished_before_ && sources_.size() == 1 && done_.size() <= earlier_.size() &&
         std::all_of(done_.begin(), done_.end(),
                     [this](const std::string& input) { return earlier_.contains(input); });
}

/// What this run has taken over, or has nothing of value.
std::vector<fs::path> InputLines::superseded() {
  std::vector<fs::path> files;
  for (const Leftover& leftover : file_.lock()->leftovers()) {
    std::error_code error;
    const bool read = std::find(sources_.begin(), sources_.end(), leftover.path) != sources_.end();
    const bool whole =
        std::cmp_equal(fs::file_size(leftover.path, error), leftover.parts.back().end) && !error;
    const bool taken = read && whole && !not_all_taken_.contains(leftover.path);
    if (!leftover.kept || taken) files.push_back(leftover.path);
  }
  return files;
}

void InputLines::commit() {
  if (const auto failure = attempt({}, [this] { take_rest(), flush(); }))
    throw Error(ErrorKind::output,
                failure->message + (file_.seekable()
                                        ? "; what was made is kept as " + keep_partial().string()
                                        : std::string()));
  if (file_.lock() == nullptr) {
    file_.commit();
    return;
  }
  const std::vector<fs::path> files = superseded();
  if (!done_.empty()) file_.lock()->keep_record(true);  // until the file has its name
  file_.commit(files);
}

fs::path InputLines::keep_partial() {
  // On a full disk what this run has made is kept without what it would have copied.
  if (attempt({}, [this] { take_rest(), flush(); })) give_up(true);
  if (OutputLock* const lock = file_.lock(); lock != nullptr && !done_.empty())
    lock->keep_record(true);
  return file_.keep_partial();
}

}  // namespace facepipe::app
