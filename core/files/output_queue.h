// Holds bytes until its own thread has written them to an output file.
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

/// Writes the bytes of all write() calls to an OutputFile, in the order of the calls. A caller
/// waits for the disk only if the queue is full. Only one thread may use this object. That thread
/// must not use the OutputFile directly between write() and the end of the next drain().
class OutputQueue {
 public:
  /// Unused memory is not touched, so a small file needs little memory.
  static constexpr std::size_t kCapacity = std::size_t{32} << 20U;

  /// `file` must outlive this object, and nobody else may move its position.
  /// @param capacity  number of bytes that may wait, at least 1
  /// Errors: Error(internal) if the system can't start a thread.
  explicit OutputQueue(OutputFile& file, std::size_t capacity = kCapacity);
  /// Drops the bytes that still wait. It doesn't wait for the reader of a FIFO.
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// Copies the bytes into the queue, for the current position, and advances the position. Waits if
  /// there is no room. Returns 0, or the errno of an earlier failure to write to the file; after a
  /// failure nothing more is written.
  [[nodiscard]] int write(std::span<const std::byte> bytes) noexcept;
  /// Moves the position. Returns 0 or an errno.
  [[nodiscard]] int seek(std::int64_t position) noexcept;
  [[nodiscard]] bool seekable() const { return file_.seekable(); }
  /// position() and size() describe the file as it will be when all bytes are written.
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Reserves disk space for `bytes` bytes after all bytes that this object got so far. It calls
  /// OutputFile::reserve_to(), which rarely asks the disk. It doesn't wait for the bytes in the
  /// queue.
  void reserve(std::int64_t bytes) noexcept { file_.reserve_to(size_ + bytes); }
  /// Returns the end of the bytes that have been written to the file. Thread-safe.
  [[nodiscard]] std::int64_t written() const noexcept { return written_; }
  /// Returns OutputFile::full(). A failure can appear after the call that caused it has returned.
  [[nodiscard]] int full() const noexcept { return file_.full(); }

  /// Waits until all is written. Returns 0 or an errno, as write() does.
  [[nodiscard]] int drain() noexcept;

 private:
  /// Describes bytes that are contiguous in the file and in the ring.
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
  std::int64_t position_;  // the calling thread owns position_ and size_
  std::int64_t size_;
  std::atomic<std::int64_t> written_ = 0;

  std::mutex mutex_;  // guards all members below; thread_ owns the waiting bytes in the ring
  std::condition_variable filled_;
  std::condition_variable room_;  // notified when there is room, or an error
  std::vector<Extent> waiting_;   // thread_ may be writing the first extent
  std::size_t first_ = 0;         // position in the ring of the first waiting byte
  std::size_t used_ = 0;
  int error_ = 0;
  bool ends_ = false;
  std::jthread thread_;  // the last member, so that the thread starts when all other members exist
};

}  // namespace facepipe
