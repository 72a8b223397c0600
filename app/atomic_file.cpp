#include "app/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr std::size_t kPendingBytes = std::size_t{64} * 1024;

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) { open(); }

AtomicFile::~AtomicFile() {
  file_.reset();
  std::error_code ignored;  // nobody is left to hear of it, and the name says that it is no result
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::open() {
  for (int number = 0; !file_; ++number) {
    std::filesystem::path name = path_;
    name += ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(number);
    // "x": never a file that is there already, not even through a link that somebody laid.
    file_.reset(std::fopen(name.c_str(), "wxe"));
    if (file_)
      temporary_ = std::move(name);
    else if (errno != EEXIST)
      fail(errno);
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
}

void AtomicFile::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kPendingBytes) flush();
}

void AtomicFile::truncate(std::int64_t position) {
  if (position >= on_disk_) {
    pending_.resize(static_cast<std::size_t>(position - on_disk_));
    return;
  }
  pending_.clear();
  if (ftruncate(fileno(file_.get()), position) != 0) fail(errno);
  if (std::fseek(file_.get(), static_cast<long>(position), SEEK_SET) != 0) fail(errno);
  on_disk_ = position;
}

void AtomicFile::commit(const std::filesystem::path& other) {
  flush();
  // Disks over a network tell only here that they are full.
  if (fsync(fileno(file_.get())) != 0) fail(errno);
  if (std::fclose(file_.release()) != 0) fail(errno);
  std::error_code error;
  std::filesystem::rename(temporary_, other.empty() ? path_ : other, error);
  if (error) fail(error.value());
  temporary_.clear();
}

void AtomicFile::flush() {
  const std::size_t taken = std::fwrite(pending_.data(), 1, pending_.size(), file_.get());
  const int code = errno;
  on_disk_ += static_cast<std::int64_t>(taken);
  pending_.erase(0, taken);
  if (!pending_.empty()) fail(code);
}

void AtomicFile::fail(int code) const {
  throw Error(ErrorKind::output,
              path_.string() + ": can't be written: " + std::generic_category().message(code));
}

}  // namespace facepipe
