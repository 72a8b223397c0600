#include "core/files/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

#include "core/passing_error.h"
#include "core/terminal_text.h"
#include "core/write_all.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadWrite = 0666;
constexpr int kPollMs = 100;
constexpr std::int64_t kReserveStep = std::int64_t{16} << 20U;
// If more space than this is free we reserve nothing, because reserving costs time.
constexpr std::int64_t kPlenty = std::int64_t{2} << 30U;

/// Guards unfinished(): the list of files to remove if the program ends without running
/// destructors.
std::mutex unfinished_mutex;
std::vector<fs::path>& unfinished() {
  // It is never destroyed, so it outlives every other static object.
  static auto* const files = new std::vector<fs::path>;
  return *files;
}

void enter_unfinished(const fs::path& file) {
  const std::scoped_lock lock(unfinished_mutex);
  unfinished().push_back(file);
}

void strike_unfinished(const fs::path& file) {
  const std::scoped_lock lock(unfinished_mutex);
  std::erase(unfinished(), file);
}

/// Returns how many bytes this process may write to a file.
std::int64_t largest_file() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < INT64_MAX;
  return limited ? static_cast<std::int64_t>(limit.rlim_cur) : INT64_MAX;
}

/// Returns whether bytes can be written to the descriptor. That is impossible if the caller of the
/// program has closed the stream (see app/standard_streams.h).
bool is_open_for_writing(int file) {
  const int flags = fcntl(file, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/// Opens standard output. It opens a pipe anew, so that only this process writes without blocking.
/// Other programs that share the pipe still block. For everything else it copies the descriptor,
/// because a file must keep its position, and a socket can't be opened.
int open_standard_output() {
  if (!is_open_for_writing(STDOUT_FILENO)) {
    errno = EBADF;
    return -1;
  }
  struct stat found {};
  const bool pipe = fstat(STDOUT_FILENO, &found) == 0 && S_ISFIFO(found.st_mode);
  const int file = pipe ? open(kStandardOutput, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  return file >= 0 ? file : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
}

std::atomic<bool> partial_files_are_kept = true;

}  // namespace

NoPartialFiles::NoPartialFiles() noexcept { partial_files_are_kept = false; }

NoPartialFiles::~NoPartialFiles() { partial_files_are_kept = true; }

bool may_keep_partial_files() noexcept { return partial_files_are_kept; }

bool is_stream_target(const fs::path& target) {
  struct stat found {};
  return target == kStandardOutput ||
         (stat(target.c_str(), &found) == 0 && (S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode)));
}

std::string reason_against_target(const fs::path& target) {
  if (target.filename().empty()) return "is not a file name";
  struct stat found {};
  if (lstat(target.c_str(), &found) != 0 || is_stream_target(target)) return {};
  if (S_ISDIR(found.st_mode)) return "is a directory";
  if (S_ISLNK(found.st_mode)) return "is a symbolic link; give the name of the file itself";
  if (!S_ISREG(found.st_mode)) return "is not a file, a FIFO or a character device";
  return {};
}

void remove_unfinished_outputs() noexcept {
  // We only try to lock, because the thread that failed may hold the lock.
  const std::unique_lock lock(unfinished_mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (const fs::path& file : unfinished()) unlink(file.c_str());
}

OutputFile::OutputFile(fs::path target, ExistingTarget existing, std::stop_token stop)
    : target_(std::move(target)), existing_(existing), stop_(std::move(stop)) {
  const std::string reason = reason_against_target(target_);
  if (!reason.empty()) throw Error(ErrorKind::output, target_.string() + ": " + reason);
  stream_ = is_stream_target(target_);
  if (stream_) {
    open_stream();
    return;
  }
  try {
    open_new();
  } catch (...) {  // after an exception in a constructor, the destructor doesn't run
    close_file();
    remove_temporaries();
    throw;
  }
}

OutputFile::~OutputFile() {
  strike_unfinished(record_);
  close_file();
  leave_first();
  remove_temporaries();
}

void OutputFile::open_new() {
  record_ = OutputLock::record_path(target_);
  lock_.emplace(target_);
  open_temporary();
  if (!lock_->keeps_record()) enter_unfinished(record_);
}

void OutputFile::close_file() noexcept {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

/// Opens the target. For a FIFO it waits until there is a reader.
void OutputFile::open_stream() {
  if (target_ == kStandardOutput) {
    file_ = open_standard_output();
    if (file_ < 0) fail(errno);
    return;
  }
  while (true) {
    file_ = open(target_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file_ >= 0) return;
    if (errno != ENXIO && errno != EINTR) fail(errno);
    if (stop_.stop_requested()) throw Stopped();
    poll(nullptr, 0, kPollMs);
  }
}

void OutputFile::open_temporary() {
  fs::path name = sibling_path(target_, target_.filename().string(), temporary_suffix());
  struct stat there {};
  // An existing file must not be recorded, because the record would then call it ours.
  if (lstat(name.c_str(), &there) == 0) fail(EEXIST);
  if (lock_) lock_->writes(name);
  // All memory is allocated before the file exists, so that a failure leaves no file.
  temporaries_.reserve(temporaries_.size() + 1);
  enter_unfinished(name);
  const int file =
      open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kReadWrite);
  if (file < 0) {
    const int code = errno;
    strike_unfinished(name);
    fail(code);
  }
  temporaries_.push_back(std::move(name));
  close_file();
  file_ = file;
  position_ = reserved_ = 0;
  size_ = 0;
}

void OutputFile::begin_again() {
  leaves_first_ = lock_ && lock_->has_parts();
  open_temporary();
}

int OutputFile::write(std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t taken = ::write(file_, bytes.data(), bytes.size());
    if (taken < 0) {
      const int code = errno;
      if (code == EINTR) continue;
      if (code == EAGAIN) {
        if (full_ == 0) full_ = wait_for_room();
        if (full_ != 0) return full_;
        continue;
      }
      if (code == ENOSPC || code == EDQUOT || code == EFBIG) full_ = code;
      return code;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
    position_ += taken;
    if (position_ > size_) size_ = position_;
  }
  return 0;
}

void OutputFile::write_text(std::string_view text) {
  if (const int code = write(std::as_bytes(std::span(text))); code != 0) fail(code);
}

int OutputFile::wait_for_room() const noexcept {
  pollfd waited{file_, POLLOUT, 0};
  while (true) {
    if (stop_.stop_requested() || gives_up_) return ECANCELED;
    const int ready = poll(&waited, 1, kPollMs);
    if (ready > 0) return 0;
    if (ready < 0 && errno != EINTR) return errno;
  }
}

int OutputFile::seek(std::int64_t position) noexcept {
  if (lseek(file_, position, SEEK_SET) < 0) return errno;
  position_ = position;
  return 0;
}

int OutputFile::truncate(std::int64_t size) noexcept {
  if (ftruncate(file_, size) != 0) return errno;
  size_ = size;
  reserved_ = std::min(reserved_, size);
  return seek(size);
}

void OutputFile::reserve_to(std::int64_t size) noexcept {
  if (stream_ || full_ != 0 || size <= reserved_) return;
  const std::int64_t limit = largest_file();
  if (size > limit) {
    full_ = EFBIG;
    return;
  }
  const std::int64_t begin = size_;  // another thread may write meanwhile, which does no harm
  if (free_bytes() > size - begin + kPlenty) {
    reserved_ = std::min(size + kReserveStep, limit);  // beyond this we check the free space again
    return;
  }
  for (const std::int64_t end : {size + kReserveStep, size}) {
    int result = -1;
    do result = fallocate(file_, FALLOC_FL_KEEP_SIZE, begin, end - begin);
    while (result != 0 && errno == EINTR);
    if (result == 0) {
      reserved_ = end;
      return;
    }
    if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) {
      reserved_ = limit;  // this file system can't reserve, so we rely on what write() reports
      return;
    }
  }
  full_ = errno;
}

std::int64_t OutputFile::free_bytes() const noexcept {
  struct statvfs disk {};
  if (fstatvfs(file_, &disk) != 0) return 0;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;
  return static_cast<std::int64_t>(std::min<std::uint64_t>(disk.f_bavail, kMost) *
                                   std::min<std::uint64_t>(disk.f_frsize, kMost));
}

void OutputFile::complete() const {
  // Space that was reserved but not needed is given back.
  if (reserved_ > size_ && ftruncate(file_, size_) != 0) fail(errno);
  // Network file systems report only here that they are full.
  if (fsync(file_) != 0) fail(errno);
}

void OutputFile::expect_no_file() const {
  struct stat there {};
  if (!stream_ && !replaces() && lstat(target_.c_str(), &there) == 0)
    throw Error(ErrorKind::output, target_.string() + ": exists already");
}

void OutputFile::may_replace_what_is_there() noexcept { seen_ = identity_of_name(target_); }

bool OutputFile::replaces() const {
  return existing_ == ExistingTarget::replace || (seen_ && identity_of_name(target_) == seen_);
}

/// Gives the file the target's name. Returns 0 or an errno.
int OutputFile::give_name() {
  const fs::path& made = temporaries_.back();
  if (!replaces()) return rename_file(made, target_, ExistingTarget::refuse);
  struct stat before {};
  if (lstat(target_.c_str(), &before) == 0 && S_ISREG(before.st_mode))
    static_cast<void>(fchmod(file_, before.st_mode & 07777));
  return rename_file(made, target_, ExistingTarget::replace);
}

void OutputFile::commit(const std::vector<fs::path>& superseded) {
  if (stream_) {
    const int code = ::close(std::exchange(file_, -1)) == 0 ? 0 : errno;
    if (code != 0) fail(code);
    return;
  }
  std::string reason;
  bool passes = false;
  try {
    complete();
    const int code = give_name();
    if (code == 0) {
      strike_unfinished(temporaries_.back());
      temporaries_.pop_back();
      sync_folder();
      for (const fs::path& file : superseded) remove_file(file);
      if (lock_) lock_->finished();
      remove_temporaries();
      release();
      return;
    }
    reason = rename_failure(code);
    passes = code == EEXIST || is_passing(code);  // EEXIST: another run was faster
  } catch (const Error& error) {
    passes = dynamic_cast<const PassingError*>(&error) != nullptr;
    reason = std::string(error.what()).substr(one_line(target_.string()).size() + 2);
  }
  const fs::path kept = keep_partial();
  const std::string message =
      target_.string() + ": " + reason +
      (kept.empty() ? "" : "; the output so far is kept as " + kept.string());
  if (passes) throw PassingError(ErrorKind::output, message);
  throw Error(ErrorKind::output, message);
}

fs::path OutputFile::keep_partial() {
  if (stream_) {
    close_file();
    return target_;
  }
  if (!may_keep_partial_files()) {
    leave_parts();
    release();
    return {};
  }
  if (reserved_ > size_ && ftruncate(file_, size_) != 0) fail(errno);
  fsync(file_);  // we ignore a failure, because a partial file is better than none
  const fs::path& made = temporaries_.back();
  for (int number = 1;; ++number) {
    fs::path name = partial_name(target_, number);
    struct stat there {};
    if (lstat(name.c_str(), &there) == 0) continue;
    if (lock_) lock_->keeps(name);
    const int code = rename_file(made, name, ExistingTarget::refuse);
    if (code == EEXIST) continue;
    if (code != 0) fail(code);
    strike_unfinished(made);
    temporaries_.pop_back();
    sync_folder();
    if (lock_ && lock_->has_parts()) {
      lock_->keep_record(true);
      leaves_first_ = false;
    } else if (lock_) {
      lock_->left_partial(name);
    }
    release();
    return name;
  }
}

void OutputFile::release() {
  close_file();
  leave_first();
  remove_temporaries();
  lock_.reset();
  strike_unfinished(record_);
}

/// Keeps the first file after begin_again(), because the next run can use its complete parts.
void OutputFile::leave_first() {
  if (!lock_ || !leaves_first_ || temporaries_.empty()) return;
  lock_->keep_record(true);
  strike_unfinished(temporaries_.front());
  temporaries_.erase(temporaries_.begin());
}

/// Keeps the last file under its temporary name if the next run can use its complete parts.
void OutputFile::leave_parts() {
  if (!lock_ || !lock_->has_parts() || temporaries_.empty()) return;
  lock_->keep_record(true);
  strike_unfinished(temporaries_.back());
  temporaries_.pop_back();
  leaves_first_ = false;
}

void OutputFile::remove_temporaries() {
  while (!temporaries_.empty()) {
    remove_file(temporaries_.back());
    strike_unfinished(temporaries_.back());
    temporaries_.pop_back();
  }
}

void OutputFile::sync_folder() const noexcept {
  const int opened = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  fsync(opened);  // we ignore a failure: some file systems can't sync a folder
  close(opened);
}

void OutputFile::fail(int code) const { throw_write_failure(target_.string(), code); }

int write_new_file(const fs::path& path, std::span<const std::byte> bytes, unsigned mode) noexcept {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file < 0) return errno;
  int code = write_all(file, bytes);
  if (close(file) != 0 && code == 0) code = errno;
  if (code != 0) remove_file(path);
  return code;
}

}  // namespace facepipe
