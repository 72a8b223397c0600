// Holds bytes that a thread of its own writes to an output file.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "core/files/output_file.h"

namespace facepipe {

/// Gives an OutputFile the bytes of all calls, in their order. The writer doesn't wait for the disk
/// as long as there is room here. Only one thread uses this object. Until drain() has returned, and
/// again after the next write(), that thread must not call the file itself.
class OutputQueue {
 public:
  /// Memory that is not used is not touched, so a small file takes little.
  static constexpr std::size_t kCapacity = std::size_t{32} << 20U;

  /// `file` must outlive this object, and nobody else may move its position.
  /// @param capacity  bytes that may wait, at least 1
  /// Errors: Error(internal) if the system can't start a thread.
  explicit OutputQueue(OutputFile& file, std::size_t capacity = kCapacity);
  /// Drops the bytes that wait. It doesn't wait for the reader of a FIFO.
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// Copies the bytes to the current position, which moves on. Waits for room. Returns 0, or the
  /// errno that an earlier call's bytes met at the file; then nothing more is taken or written.
  [[nodiscard]] int write(std::span<const std::byte> bytes) noexcept;
  /// Moves the position. Returns 0 or an errno.
  [[nodiscard]] int seek(std::int64_t position) noexcept;
  [[nodiscard]] bool seekable() const { return file_.seekable(); }
  /// These describe the file as it will be when all is written.
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Asks for `bytes` of free room behind all that was given so far. It calls
  /// OutputFile::reserve_to(), which rarely asks the disk. It doesn't wait for bytes that are on
  /// their way.
  void reserve(std::int64_t bytes) noexcept { file_.reserve_to(size_ + bytes); }
  /// Returns the end of what has been written to the file so far. Thread-safe.
  [[nodiscard]] std::int64_t written() const noexcept { return written_; }
  /// Returns OutputFile::full(), perhaps later than the bytes that caused it.
  [[nodiscard]] int full() const noexcept { return file_.full(); }

  /// Waits until all is written. Returns 0 or an errno, as write() does.
  [[nodiscard]] int drain() noexcept;

 private:
  /// Bytes that are contiguous in the file and in the ring.
  struct Extent {
    std::int64_t position = 0;
    std::size_t bytes = 0;
    [[nodiscard]] std::int64_t end() const { return position + static_cast<std::int64_t>(bytes); }
  };

  [[nodiscard]] bool has_room() const;
  [[nodiscard]] std::span<std::byte> wait_for_room() noexcept;
  void give(std::size_t bytes) noexcept;
  void work() noexcept;
  [[nodiscard]] Extent next() const;
  [[nodiscard]] int write_out(const Extent& part, const std::byte* bytes) noexcept;
  void take_off(std::size_t bytes) noexcept;
  void fail(int code) noexcept;

  OutputFile& file_;
  const std::size_t capacity_;
  const std::unique_ptr<std::byte[]> ring_;
  std::int64_t position_;  // the calling thread owns this and size_
  std::int64_t size_;
  std::atomic<std::int64_t> written_ = 0;

  std::mutex mutex_;  // guards all members below; the thread owns the waiting bytes in the ring
  std::condition_variable filled_;
  std::condition_variable room_;  // there is room, or an error
  std::vector<Extent> waiting_;   // the first one may be on its way to the file
  std::size_t first_ = 0;         // position in the ring of the first waiting byte
  std::size_t used_ = 0;
  int error_ = 0;
  bool ends_ = false;
  std::jthread thread_;  // the last member: it starts when all others exist
};

}  // namespace facepipe
