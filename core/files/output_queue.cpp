#include "core/files/output_queue.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/threads.h"

namespace facepipe {
namespace {

// A new extent begins only after a seek. Muxers seek only a few times in a file, so this number is
// enough.
constexpr std::size_t kMostExtents = 64;
// Long extents are written in parts of this size, so that room becomes free earlier.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 20U;

}  // namespace

OutputQueue::OutputQueue(OutputFile& file, std::size_t capacity)
    : file_(file),
      capacity_(capacity),
      ring_(std::make_unique_for_overwrite<std::byte[]>(capacity)),
      position_(file.position()),
      size_(file.size()) {
  waiting_.reserve(kMostExtents);
  thread_ = start_thread([this] { work(); });
}

OutputQueue::~OutputQueue() {
  file_.give_up_waiting();
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  filled_.notify_one();
}

int OutputQueue::write(std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const std::span<std::byte> room = wait_for_room();
    if (room.empty()) return error_;  // error_ never changes again
    const std::size_t copied = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), copied);
    give(copied);
    bytes = bytes.subspan(copied);
  }
  return 0;
}

bool OutputQueue::has_room() const {
  const bool follows = !waiting_.empty() && waiting_.back().end() == position_;
  return used_ < capacity_ && (follows || waiting_.size() < kMostExtents);
}

/// Waits until there is room. Returns the contiguous free part of the ring. After an error the part
/// is empty.
std::span<std::byte> OutputQueue::wait_for_room() noexcept {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return error_ != 0 || has_room(); });
  if (error_ != 0) return {};
  if (used_ == 0) first_ = 0;  // if the queue is empty, the next bytes reuse the same few pages
  const std::size_t begin = (first_ + used_) % capacity_;
  return {ring_.get() + begin, std::min(capacity_ - used_, capacity_ - begin)};
}

/// Adds `bytes` bytes to the waiting bytes. The caller has already copied them to the ring.
void OutputQueue::give(std::size_t bytes) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (error_ != 0) return;  // the next call returns the error
    const bool follows = !waiting_.empty() && waiting_.back().end() == position_;
    if (!follows) waiting_.push_back({position_, 0});
    waiting_.back().bytes += bytes;
    used_ += bytes;
  }
  filled_.notify_one();
  position_ += static_cast<std::int64_t>(bytes);
  size_ = std::max(size_, position_);
}

int OutputQueue::seek(std::int64_t position) noexcept {
  if (!seekable()) return ESPIPE;
  if (position < 0) return EINVAL;
  position_ = position;
  return 0;
}

int OutputQueue::drain() noexcept {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [this] { return error_ != 0 || waiting_.empty(); });
  return error_;
}

void OutputQueue::work() noexcept {
  pthread_setname_np(pthread_self(), "write");
  std::unique_lock lock(mutex_);
  while (true) {
    filled_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const Extent part = next();
    const std::byte* const bytes = ring_.get() + first_;
    lock.unlock();
    const int code = write_out(part, bytes);
    lock.lock();
    if (code == 0)
      take_off(part.bytes);
    else
      fail(code);
    room_.notify_one();
  }
}

OutputQueue::Extent OutputQueue::next() const {
  const Extent& first = waiting_.front();
  return {first.position, std::min({first.bytes, capacity_ - first_, kMostAtOnce})};
}

int OutputQueue::write_out(const Extent& part, const std::byte* bytes) noexcept {
  if (file_.position() != part.position) {
    const int code = file_.seek(part.position);
    if (code != 0) return code;
  }
  const int code = file_.write({bytes, part.bytes});
  // After an error, only some of the bytes are written.
  written_ = std::max<std::int64_t>(written_, file_.position());
  return code;
}

/// Removes `bytes` bytes from the first extent, because they have been written.
void OutputQueue::take_off(std::size_t bytes) noexcept {
  used_ -= bytes;
  first_ = (first_ + bytes) % capacity_;
  Extent& first = waiting_.front();
  first.position += static_cast<std::int64_t>(bytes);
  first.bytes -= bytes;
  if (first.bytes == 0) waiting_.erase(waiting_.begin());
}

void OutputQueue::fail(int code) noexcept {
  error_ = code;
  waiting_.clear();
  used_ = 0;
}

}  // namespace facepipe
