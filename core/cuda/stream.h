// Wraps CUDA's streams and events. Stream and Event own them, and StreamView refers to a stream.
// They are as thread-safe as CUDA's streams and events.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/cuda/unique.h"

namespace facepipe::cuda {

/// Refers to a stream that somebody else owns.
class StreamView {
 public:
  /*implicit*/ StreamView(cudaStream_t stream) noexcept : stream_(stream) {}  // NOLINT
  StreamView(int) = delete;             // a 0 would be the default stream by accident
  StreamView(std::nullptr_t) = delete;  // nullptr would also be the default stream

  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
  /// Waits for all work that has been enqueued so far.
  void synchronize() const;

 private:
  cudaStream_t stream_;
};

/// Owns a stream that doesn't wait for the default stream.
class Stream {
 public:
  /// The device starts blocks of an `urgent` stream's kernels before blocks of other kernels. It
  /// doesn't interrupt blocks that have started.
  enum class Priority { usual, urgent };
  explicit Stream(Priority priority = Priority::usual);

  [[nodiscard]] StreamView view() const noexcept { return stream_.get(); }
  /*implicit*/ operator StreamView() const noexcept { return view(); }  // NOLINT
  void synchronize() const { view().synchronize(); }

 private:
  Unique<cudaStream_t, cudaStreamDestroy> stream_;
};

/// Owns a point in a stream, which other streams and the host can wait for.
class Event {
 public:
  enum class Timing { off, on };
  /// Says how the host waits. `spinning`: the host sees the event immediately, but occupies a core.
  /// `sleeping`: it sees the event about 10 microseconds later.
  enum class Wait { spinning, sleeping };
  explicit Event(Timing timing = Timing::off, Wait wait = Wait::spinning);

  void record(StreamView stream) const;
  /// Records the event while `stream` is captured, so that each launch of the graph records it. The
  /// host can wait for it and time it from outside the graph. It can't do this with an event that
  /// record() has recorded during the capture.
  void record_in_graph(StreamView stream) const;
  void synchronize() const;
  /// Makes later work of `stream` wait for this event.
  void hold_back(StreamView stream) const;
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_.get(); }

 private:
  Unique<cudaEvent_t, cudaEventDestroy> event_;
};

/// Returns the device time between two events that have happened. Both must have Timing::on.
[[nodiscard]] float milliseconds_between(const Event& begin, const Event& end);

}  // namespace facepipe::cuda
