#include "app/review/decision_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "app/output/input_record.h"
#include "core/error.h"
#include "core/files/file_identity.h"
#include "core/write_all.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr mode_t kOwnerOnly = 0600;

}  // namespace

/// Notes which tracks a decision was about. It counts if the edit file was saved after it.
void LookedAt::note(const Json& entry) {
  if (entry.value("action", Json()) == "saved") {
    for (const auto& [id, looked] : pending_) {
      if (looked)
        ids_.insert(id);
      else
        ids_.erase(id);
    }
    pending_.clear();
    unsaved_ = 0;
    return;
  }
  if (!entry.contains("tracks")) return;
  ++unsaved_;
  for (const bool looked : {true, false})
    for (const Json& id : entry.value(looked ? kLookedAt : kNotLookedAt, Json::array()))
      if (id.is_number_integer()) pending_[id.get<std::int64_t>()] = looked;
}

std::set<std::int64_t> looked_at_by_log(const std::filesystem::path& edits) {
  const std::filesystem::path log = log_of(edits);
  LookedAt looked_at;
  if (!identity_of(log)) return looked_at.ids();
  try {
    read_log(log, [&](const Json& entry) { looked_at.note(entry); });
  } catch (const Error& error) {
    throw Error(ErrorKind::input, log.string() + ": " + error.what());
  }
  return looked_at.ids();
}

DecisionLog::DecisionLog(std::filesystem::path path) : path_(std::move(path)) {
  open();
  try {
    read_earlier_lines();
  } catch (...) {
    close(file_);
    throw;
  }
}

DecisionLog::~DecisionLog() { close(file_); }

void DecisionLog::open() {
  if (is_no_regular_file(path_))
    throw Error(ErrorKind::output, path_.string() + ": is not a regular file");
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (file_ < 0) fail(errno);
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  close(file_);
  if (code == EWOULDBLOCK)
    throw Error(ErrorKind::output, path_.string() + ": another review writes to it");
  fail(code);
}

void DecisionLog::read_earlier_lines() {
  std::ifstream stream(path_, std::ios::binary);
  if (!stream) throw Error(ErrorKind::input, path_.string() + ": can't be read");
  std::string line;
  while (std::getline(stream, line)) {
    if (stream.eof()) {  // the line has no line break
      if (ftruncate(file_, bytes_) != 0) fail(errno);
      break;
    }
    check(line);
    bytes_ += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (stream.bad()) throw Error(ErrorKind::input, path_.string() + ": can't be read");
}

/// Checks that a line continues the chain.
void DecisionLog::check(const std::string& line) {
  try {
    looked_at_.note(chain_.add(line));
  } catch (const Error& error) {
    throw Error(ErrorKind::input,
                path_.string() + ": " + error.what() + ". Move the log away, and begin a new one");
  }
}

void DecisionLog::add(const Json& entry) {
  Json whole = entry;
  whole["line"] = chain_.lines() + 1;
  whole["time"] = utc_text(std::chrono::system_clock::now());
  whole["previous"] = chain_.last_hash();
  const std::string line = whole.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string text = line + "\n";
  if (const int code = write_all(file_, std::as_bytes(std::span(text))); code != 0) {
    // A part of a line would break the chain. If it can't be removed, the next opening removes it.
    static_cast<void>(ftruncate(file_, bytes_) == 0);
    fail(code);
  }
  bytes_ += static_cast<std::int64_t>(text.size());
  chain_.add_own(line);
}

void DecisionLog::sync() const {
  if (fdatasync(file_) != 0) fail(errno);
}

void DecisionLog::fail(int code) const {
  throw Error(ErrorKind::output, path_.string() + ": " + write_failure(code));
}

}  // namespace facepipe::app
