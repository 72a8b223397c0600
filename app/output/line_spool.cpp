#include "app/output/line_spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/error.h"

namespace facepipe::app {
namespace {

// The file that prepare() has made; -1 if there is none.
std::atomic<int> g_prepared = -1;

/// Makes a file without a name. Returns its descriptor; -1 if it can't be made, with errno.
int make_file_in(const std::string& folder) {
  std::string name = folder + "/facepipe-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(name.c_str());
  return descriptor;
}

constexpr std::size_t kInMemory = std::size_t{1} << 20U;
constexpr std::size_t kWaitingInMemory = std::size_t{4} << 10U;

[[noreturn]] void fail(const std::string& folder, int code) {
  throw Error(ErrorKind::output,
              folder + ": can't keep lines of inputs here until their turn to be written: " +
                  std::generic_category().message(code));
}

}  // namespace

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void SpoolFile::prepare() noexcept {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error && g_prepared < 0) g_prepared = make_file_in(folder.string());
}

void SpoolFile::open() {
  folder_ = std::filesystem::temp_directory_path().string();
  descriptor_ = g_prepared.exchange(-1);
  if (descriptor_ < 0) descriptor_ = make_file_in(folder_);
  if (descriptor_ < 0) fail(folder_, errno);
}

std::int64_t SpoolFile::append(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (descriptor_ < 0) open();
  const std::int64_t begin = size_;
  while (!text.empty()) {
    const ssize_t written = pwrite(descriptor_, text.data(), text.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(folder_, errno);
    size_ += written;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return begin;
}

void SpoolFile::read(std::int64_t begin, std::string& to) {
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t read = pread(descriptor_, to.data() + done, to.size() - done,
                               begin + static_cast<std::int64_t>(done));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) fail(folder_, read < 0 ? errno : EIO);
    done += static_cast<std::size_t>(read);
  }
}

void LineSpool::append(std::string_view lines) {
  if (failure_) return;
  memory_ += lines;
  spill_beyond(kInMemory);
}

void LineSpool::put_away() {
  if (failure_) return;
  spill_beyond(kWaitingInMemory);
  memory_.shrink_to_fit();
}

void LineSpool::spill_beyond(std::size_t bytes) {
  if (memory_.size() <= bytes) return;
  failure_ = attempt({}, [&] {
    parts_.push_back({file_->append(memory_), memory_.size()});
    memory_.clear();
  });
}

void LineSpool::give(const std::function<void(std::string_view)>& to) const {
  if (failure_) throw Error(ErrorKind::output, failure_->message);
  std::string text;
  for (const Part& part : parts_) {
    text.resize(part.size);
    file_->read(part.begin, text);
    to(text);
  }
  if (!memory_.empty()) to(memory_);
}

}  // namespace facepipe::app
