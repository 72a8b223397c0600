// Makes the counted copies of pixels between host and device. Pictures that the CPU has decoded go
// to the device. Finished pictures go to the host, for an encoder on the CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "core/recently_used.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/frames/kept_converters.h"

namespace facepipe::video {

/// Owns the memory of a picture that is being uploaded to the device.
struct UploadSlot {
  explicit UploadSlot(std::size_t bytes) : host(bytes), device(bytes) {}
  cuda::PinnedBuffer<std::byte> host;
  cuda::DeviceBuffer<std::byte> device;
  cuda::Event copied;
};

/// Keeps slots, streams and converters from one upload to the next, because making them takes
/// longer than copying a picture. It keeps slots of the sizes that were used last, up to 64 MiB.
/// Thread-safe. It belongs to one device.
class UploadMemory {
 public:
  /// Returns a stream that nobody else uses. Throws Error(device).
  [[nodiscard]] std::shared_ptr<cuda::Stream> stream() { return streams_.lease(); }

  /// Returns a pool of slots of `bytes` bytes. A new pool has `count` slots. Throws Error(device).
  [[nodiscard]] std::shared_ptr<Pool<UploadSlot>> slots(std::size_t bytes, std::size_t count);

  /// Returns converters for pictures before their upload.
  [[nodiscard]] const std::shared_ptr<KeptConverters>& converters() const { return converters_; }

 private:
  std::mutex mutex_;
  RecentlyUsed<std::size_t, std::shared_ptr<Pool<UploadSlot>>> kept_;
  Pool<cuda::Stream> streams_{0, [] { return std::make_unique<cuda::Stream>(); }};
  std::shared_ptr<KeptConverters> converters_ = std::make_shared<KeptConverters>();
};

/// Uploads planar YUV 4:2:0 from host memory to device memory, as NV12, P010 or P016. Only one
/// thread may use it. Its frames may outlive it.
class PictureUpload {
 public:
  /// @param size, bits  describe all pictures; up to 8 bits become NV12, up to 10 P010, more P016
  /// @param frames      number of frames that may exist at the same time before more memory is
  /// allocated
  /// @param kept        provides the memory; nullptr: this object allocates its own memory
  /// Throws Error(device).
  PictureUpload(Size size, int bits, std::size_t frames, Device device, CopyCounter& copies,
                UploadMemory* kept = nullptr);

  /// Uploads `frame`, which must be made by wrap(). Interleaves chroma into pinned memory, enqueues
  /// one copy on `stream`, and doesn't wait for the copy. The result has all of the frame's
  /// properties. Frame::ready says when its samples are complete. Throws Error(internal) for a
  /// frame of another size or format.
  [[nodiscard]] Frame upload(const Frame& frame, cuda::StreamView stream);

 private:
  PictureLayout layout_;
  PixelFormat format_;
  Device device_;
  CopyCounter& copies_;
  std::shared_ptr<Pool<UploadSlot>> slots_;
};

/// Holds a picture that is being downloaded to the host. It can be moved, not copied.
class DownloadingFrame {
 public:
  DownloadingFrame(Frame source, Frame target, std::shared_ptr<const cuda::Event> copied)
      : source_(std::move(source)), target_(std::move(target)), copied_(std::move(copied)) {}

  /// Waits for the copy if wait() wasn't called, because other pictures use the memory afterwards.
  ~DownloadingFrame();
  DownloadingFrame(DownloadingFrame&&) = default;
  DownloadingFrame& operator=(DownloadingFrame&&) = delete;
  DownloadingFrame(const DownloadingFrame&) = delete;
  DownloadingFrame& operator=(const DownloadingFrame&) = delete;

  /// Waits for the copy, releases the picture on the device, and returns the picture on the host:
  /// NV12, P010 or P016 in pinned memory, with all properties of the frame. It can be called only
  /// once.
  [[nodiscard]] Frame wait();

 private:
  Frame source_;  // kept until its samples have been read
  Frame target_;
  std::shared_ptr<const cuda::Event> copied_;
};

/// Downloads semi-planar 4:2:0 from device memory to pinned memory. Only one thread may use it. Its
/// frames may outlive it.
class PictureDownload {
 public:
  /// @param bits    bits of a sample in FFmpeg's format: 8 (NV12), 10 (P010) or 16 (P016)
  /// @param frames  number of frames that may exist at the same time before more memory is
  /// allocated
  PictureDownload(Size size, int bits, std::size_t frames, CopyCounter& copies);

  /// Enqueues one copy for each plane on `stream`, after Frame::ready, and returns at once. Throws
  /// Error(internal) for a frame of another size, format or device.
  [[nodiscard]] DownloadingFrame start(Frame frame, cuda::StreamView stream);

 private:
  struct Slot {
    explicit Slot(std::size_t bytes) : host(bytes) {}
    cuda::PinnedBuffer<std::byte> host;
    cuda::Event copied;
  };
  void copy_plane(const Plane& from, std::byte* to, Size samples, cuda::StreamView stream);

  PictureLayout layout_;
  std::size_t sample_bytes_;
  CopyCounter& copies_;
  Pool<Slot> slots_;
};

}  // namespace facepipe::video
