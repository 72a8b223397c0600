#include "app/output/input_lines.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/existing_target.h"
#include "core/passing_error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPendingBytes = std::size_t{64} << 10U;

}  // namespace

InputLines::InputLines(const fs::path& path, LineFormat format, ExistingOutput existing,
                       const std::stop_token& stop)
    : format_(std::move(format)),
      file_(checked_target(path, existing), at_the_end(existing), stop),
      earlier_(format_) {
  if (existing == ExistingOutput::skip && file_.seekable()) earlier_.read(file_, stop);
  write(format_.header);
  flush();
  kept_ = lines_;
}

void InputLines::write(std::string_view lines) {
  pending_ += lines;
  if (pending_.size() >= kPendingBytes || !file_.seekable()) flush();
}

void InputLines::flush() {
  // The lines leave pending_ before they are written, because after a failure they must not be
  // written again.
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
  done_.insert(input);  // so that take_rest() adds no lines of an earlier run
  kept_ = file_.size();
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
  if (!earlier_.has(input) || done_.contains(input)) return;
  earlier_.give(input, file_.target(), [this](std::string_view lines) { write(lines); });
  keep(input);
}

void InputLines::take_rest() {
  for (const std::string& input : earlier_.inputs()) take(input);
}

bool InputLines::changes_nothing() const {
  return earlier_.are_finished() && std::ranges::all_of(done_, [this](const std::string& input) {
           return earlier_.has(input);
         });
}

void InputLines::commit() {
  if (const auto failure = attempt({}, [this] { take_rest(), flush(); })) {
    const std::string kept = file_.seekable() ? keep_partial().string() : std::string();
    const std::string message =
        failure->message + (kept.empty() ? "" : "; the output so far is kept as " + kept);
    if (failure->passes) throw PassingError(ErrorKind::output, message);
    throw Error(ErrorKind::output, message);
  }
  if (file_.lock() == nullptr) {
    file_.commit();
    return;
  }
  const std::vector<fs::path> files = earlier_.superseded(file_.lock()->leftovers());
  if (!done_.empty()) file_.lock()->keep_record(true);  // until the file has its name
  file_.commit(files);
}

fs::path InputLines::keep_partial() {
  // If the disk is full, the file keeps the lines of this run. The lines of earlier runs are then
  // not copied.
  if (attempt({}, [this] { take_rest(), flush(); })) give_up(true);
  if (OutputLock* const lock = file_.lock(); lock != nullptr && !done_.empty())
    lock->keep_record(true);
  return file_.keep_partial();
}

}  // namespace facepipe::app
