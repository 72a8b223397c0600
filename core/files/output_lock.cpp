#include "core/files/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "core/files/output_names.h"
#include "core/write_all.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using output_record::kHeader;

constexpr std::size_t kLongestRecord = std::size_t{256} << 20U;
constexpr int kMostTries = 100;
// The maker stands near the beginning of a record. A record with many parts is long.
constexpr std::size_t kMakerIsWithin = std::size_t{64} << 10U;

std::string read_all(int file, std::size_t size) {
  std::string text(std::min(size, kLongestRecord), '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got =
        pread(file, text.data() + length, text.size() - length, static_cast<off_t>(length));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return text;
}

}  // namespace

fs::path OutputLock::record_path(const fs::path& target) {
  return sibling_path(target, "." + target.filename().string(), ".facepipe");
}

OutputLock::OutputLock(fs::path target, const IsOurs& is_ours)
    : target_(std::move(target)), record_(record_path(target_)) {
  open();
  if (file_ < 0) return;
  try {
    read_leftovers(is_ours);
  } catch (...) {
    struct stat found {};
    if (fstat(file_, &found) == 0 && found.st_size == 0) remove_file(record_);
    close(file_);
    throw;
  }
}

void OutputLock::read_leftovers(const IsOurs& is_ours) {
  const std::string text = read_record();
  if (text.empty()) {
    append(kHeader);
    return;
  }
  for (output_record::RecordedFile& recorded : output_record::made_files(text, target_, is_ours)) {
    const bool may_be_in_work = recorded.may_be_in_work;
    std::optional<Leftover> leftover = output_record::found_on_disk(std::move(recorded));
    if (!leftover) continue;
    if (may_be_in_work)
      others_ = true;
    else if (!leftover->parts.empty())
      leftovers_.push_back(std::move(*leftover));
    else if (!leftover->kept)
      remove_file(leftover->path);
  }
  partials_ = output_record::unchanged_partials(text, target_, is_ours);
  keeps_record_ = others_ || !leftovers_.empty() || !partials_.empty() ||
                  output_record::recorded_damage(text, target_);
}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  if (!keeps_record_) remove_file(record_);
  close(file_);
}

void OutputLock::open() {
  for (int i = 0; i < kMostTries; ++i)
    if (try_open()) return;
  fail("can't be locked: " + record_.string() + " keeps changing");
}

/// Returns false if the lock must be tried again, for example because the program that held it has
/// removed the record in between.
bool OutputLock::try_open() {
  constexpr mode_t kReadWrite = 0666;
  const int file =
      ::open(record_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, kReadWrite);
  if (file < 0 && errno == ELOOP)
    fail("can't be locked: " + record_.string() + " is a symbolic link");
  if (file < 0) throw_write_failure(target_.string(), errno);
  struct stat opened {};
  struct stat named {};
  fstat(file, &opened);
  if (!S_ISREG(opened.st_mode)) {
    close(file);
    fail("can't be locked: facepipe didn't write " + record_.string() + ", which is in the way");
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const bool empty = opened.st_size == 0;
    const bool held = code == EWOULDBLOCK;
    const std::string maker = held ? output_record::maker(read_all(file, kMakerIsWithin)) : "";
    close(file);
    if (held)
      throw LockHeld(ErrorKind::output, target_.string() + ": another run is writing it" +
                                            (maker.empty() ? "" : " (" + maker + ")"));
    if (code == EINTR) return false;
    if (empty) remove_file(record_);
    return true;  // this file system has no locks
  }
  const bool same = lstat(record_.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
                    named.st_dev == opened.st_dev;
  if (!same) {
    close(file);
    return false;
  }
  file_ = file;
  return true;
}

std::string OutputLock::read_record() const {
  struct stat found {};
  fstat(file_, &found);
  const auto size = static_cast<std::size_t>(found.st_size);
  std::string text = read_all(file_, size);
  // A run that was killed while it wrote the header has not yet made a file.
  if (text.size() < kHeader.size() && kHeader.starts_with(text)) {
    if (ftruncate(file_, 0) != 0) throw_write_failure(target_.string(), errno);
    return {};
  }
  if (!text.starts_with(kHeader))
    fail("can't be locked: facepipe didn't write " + record_.string() + ", which is in the way");
  return text;
}

void OutputLock::append(std::string_view line) const {
  if (const int code = try_append(line); code != 0) throw_write_failure(target_.string(), code);
}

int OutputLock::try_append(std::string_view line) const noexcept {
  if (file_ < 0) return 0;
  const off_t end = lseek(file_, 0, SEEK_END);
  if (end < 0) return errno;
  const int code = write_all(file_, std::as_bytes(std::span(line)));
  // Removes half a line, because it would make the next line unreadable.
  if (code != 0) static_cast<void>(ftruncate(file_, end));
  return code;
}

void OutputLock::writes(const fs::path& file) {
  append(output_record::writes_lines(file));
  has_parts_ = false;
}

void OutputLock::completed(const OutputPart& part) {
  append(output_record::part_line(part));
  has_parts_ = true;
}

void OutputLock::keeps(const fs::path& file) noexcept {
  static_cast<void>(try_append(output_record::kept_line(file)));
}

void OutputLock::left_partial(const fs::path& file) noexcept {
  if (file_ < 0) return;
  const std::optional<FileIdentity> identity = identity_of_name(file);
  if (!identity) return;
  try {
    if (try_append(output_record::partial_line(file, *identity)) == 0) keeps_record_ = true;
  } catch (const std::bad_alloc&) {
    // The file stays, but a later run doesn't know that it may remove the file.
  }
}

void OutputLock::finished() noexcept {
  for (const output_record::RecordedPartial& partial : partials_)
    if (identity_of_name(partial.path) == partial.identity) remove_file(partial.path);
  partials_.clear();
  keeps_record_ = others_;
  record_damage();
}

void OutputLock::record_damage() noexcept {
  if (file_ < 0 || ends_damaged_.empty()) return;
  // The record's lines are no longer needed, unless they list parts that a later run can use.
  const bool over = leftovers_.empty() && !has_parts_ && !others_;
  if (over && ftruncate(file_, static_cast<off_t>(kHeader.size())) != 0) return;
  try {
    keeps_record_ = try_append(output_record::damaged_line(target_, ends_damaged_)) == 0;
  } catch (const std::bad_alloc&) {
    // This run reports the damage, but a later run won't.
  }
}

std::optional<std::string> OutputLock::damage_of(const fs::path& target) {
  const int file =
      ::open(record_path(target).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat found {};
  std::string text;
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode))
    text = read_all(file, static_cast<std::size_t>(found.st_size));
  close(file);
  return text.starts_with(kHeader) ? output_record::recorded_damage(text, target) : std::nullopt;
}

void OutputLock::fail(const std::string& reason) const {
  throw Error(ErrorKind::output, target_.string() + ": " + reason);
}

}  // namespace facepipe
