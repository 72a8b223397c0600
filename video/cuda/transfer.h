// The named copies of pixels between host and device: pictures that the CPU decoded are brought to
// the device, finished ones to the host for an encoder on the CPU.
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

/// A picture's memory on its way to the device.
struct UploadSlot {
  explicit UploadSlot(std::size_t bytes) : host(bytes), device(bytes) {}
  cuda::PinnedBuffer<std::byte> host;
  cuda::DeviceBuffer<std::byte> device;
  cuda::Event copied;
};

/// Slots, streams and converters kept from one upload to the next, because they take longer to make
/// than a picture to copy: slots of the sizes that were used last, up to 64 MiB. Thread-safe; bound
/// to one device.
class UploadMemory {
 public:
  /// A stream that nobody else enqueues on. Errors: Error(device).
  [[nodiscard]] std::shared_ptr<cuda::Stream> stream() { return streams_.lease(); }

  /// Slots of `bytes`, at first `count`. Errors: Error(device).
  [[nodiscard]] std::shared_ptr<Pool<UploadSlot>> slots(std::size_t bytes, std::size_t count);

  /// For pictures on their way here.
  [[nodiscard]] const std::shared_ptr<KeptConverters>& converters() const { return converters_; }

 private:
  std::mutex mutex_;
  RecentlyUsed<std::size_t, std::shared_ptr<Pool<UploadSlot>>> kept_;
  Pool<cuda::Stream> streams_{0, [] { return std::make_unique<cuda::Stream>(); }};
  std::shared_ptr<KeptConverters> converters_ = std::make_shared<KeptConverters>();
};

/// Planar YUV 4:2:0 in host memory -> NV12, P010 or P016 in device memory. Used by one thread; its
/// frames may outlive it.
class PictureUpload {
 public:
  /// @param size, bits  of all pictures; up to 8 bits become NV12, 10 P010, more P016
  /// @param frames      how many may be alive at once without more memory being allocated
  /// @param kept        whose memory it takes; nullptr: its own
  /// Errors: Error(device).
  PictureUpload(Size size, int bits, std::size_t frames, Device device, CopyCounter& copies,
                UploadMemory* kept = nullptr);

  /// `frame` is one of the pipeline's (wrap()). Interleaves chroma into pinned memory and enqueues
  /// one copy on `stream`; nothing is waited for. The result has all of the frame's properties;
  /// Frame::ready tells when its samples are there. Errors: Error(internal) for a frame of another
  /// size or format.
  [[nodiscard]] Frame upload(const Frame& frame, cuda::StreamView stream);

 private:
  PictureLayout layout_;
  PixelFormat format_;
  Device device_;
  CopyCounter& copies_;
  std::shared_ptr<Pool<UploadSlot>> slots_;
};

/// A picture on its way to the host; move-only.
class DownloadingFrame {
 public:
  DownloadingFrame(Frame source, Frame target, std::shared_ptr<const cuda::Event> copied)
      : source_(std::move(source)), target_(std::move(target)), copied_(std::move(copied)) {}

  /// Waits for a copy that nobody waited for: its memory goes to other pictures.
  ~DownloadingFrame();
  DownloadingFrame(DownloadingFrame&&) = default;
  DownloadingFrame& operator=(DownloadingFrame&&) = delete;
  DownloadingFrame(const DownloadingFrame&) = delete;
  DownloadingFrame& operator=(const DownloadingFrame&) = delete;

  /// Waits for the copy, lets the device's picture go, and gives the host's: NV12, P010 or P016 in
  /// pinned memory, with all the properties that the frame had. To be called once.
  [[nodiscard]] Frame wait();

 private:
  Frame source_;  // until its samples have been read
  Frame target_;
  std::shared_ptr<const cuda::Event> copied_;
};

/// Semi-planar 4:2:0 in device memory -> the same in pinned memory. Used by one thread; its frames
/// may outlive it.
class PictureDownload {
 public:
  /// @param bits    of a sample as FFmpeg's formats count: 8 (NV12), 10 (P010) or 16 (P016)
  /// @param frames  how many may be alive at once without more memory being allocated
  PictureDownload(Size size, int bits, std::size_t frames, CopyCounter& copies);

  /// Enqueues one copy for each plane on `stream`, behind Frame::ready, and returns.
  /// Errors: Error(internal) for a frame of another size, format or device.
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
