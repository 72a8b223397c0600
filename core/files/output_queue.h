// Bytes on their way to an output file, which a thread of its own writes.
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

/// Gives an OutputFile the bytes of all calls, in their order: who writes doesn't wait for the disk
/// while there is room here. One thread uses it. Until drain() has returned, and from the next
/// write() on, that thread calls nothing of the file itself.
class OutputQueue {
 public:
  /// Memory that is not used is not touched: a small file takes little.
  static constexpr std::size_t kCapacity = std::size_t{32} << 20U;

  /// `file` must outlive this, and nobody has moved its position.
  /// @param capacity  bytes that may wait, at least 1
  /// Errors: Error(internal) where the system starts no thread.
  explicit OutputQueue(OutputFile& file, std::size_t capacity = kCapacity);
  /// Drops what waits, and waits for no reader of a FIFO.
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  /// Copies the bytes, which stand at the current position; that moves on. Waits for room. 0, or
  /// the errno that an earlier call's bytes met at the file: then nothing more is taken or written.
  [[nodiscard]] int write(std::span<const std::byte> bytes) noexcept;
  /// Moves the position. 0 or an errno.
  [[nodiscard]] int seek(std::int64_t position) noexcept;
  [[nodiscard]] bool seekable() const { return file_.seekable(); }
  /// Of the file as it will be when all is written.
  [[nodiscard]] std::int64_t position() const { return position_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// There are to be `bytes` free behind all that was given so far: OutputFile::reserve_to(), which
  /// rarely asks the disk, and waits for nothing that is on its way.
  void reserve(std::int64_t bytes) noexcept { file_.reserve_to(size_ + bytes); }
  /// The end of what is in the file so far. Thread-safe.
  [[nodiscard]] std::int64_t written() const noexcept { return written_; }
  /// OutputFile::full(); may come later than the bytes that found it so.
  [[nodiscard]] int full() const noexcept { return file_.full(); }

  /// Waits until all is written. 0 or an errno, as write().
  [[nodiscard]] int drain() noexcept;

 private:
  /// Bytes that follow each other in the file as they do in the ring.
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
  std::int64_t position_;  // these two belong to who writes
  std::int64_t size_;
  std::atomic<std::int64_t> written_ = 0;

  std::mutex mutex_;  // guards all below; what stands in the ring belongs to the thread
  std::condition_variable filled_;
  std::condition_variable room_;  // or an error
  std::vector<Extent> waiting_;   // the first one may be on its way to the file
  std::size_t first_ = 0;         // where in the ring the first waiting byte stands
  std::size_t used_ = 0;
  int error_ = 0;
  bool ends_ = false;
  std::jthread thread_;  // last: it starts when all else is there
};

}  // namespace facepipe
