// Streams and events: Stream and Event own, StreamView looks. Not thread-safe beyond what CUDA is.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/cuda/unique.h"

namespace facepipe::cuda {

/// Somebody else's stream.
class StreamView {
 public:
  /*implicit*/ StreamView(cudaStream_t stream) noexcept : stream_(stream) {}  // NOLINT
  StreamView(int) = delete;             // a 0 would be the default stream by accident
  StreamView(std::nullptr_t) = delete;  // likewise

  [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
  /// Waits for all work enqueued so far.
  void synchronize() const;

 private:
  cudaStream_t stream_;
};

/// A stream that doesn't wait for the default one.
class Stream {
 public:
  /// What the device begins first where both could: blocks of a kernel that is `urgent` go before
  /// those of others that have not begun.
  enum class Priority { usual, urgent };
  explicit Stream(Priority priority = Priority::usual);

  [[nodiscard]] StreamView view() const noexcept { return stream_.get(); }
  /*implicit*/ operator StreamView() const noexcept { return view(); }  // NOLINT
  void synchronize() const { view().synchronize(); }

 private:
  Unique<cudaStream_t, cudaStreamDestroy> stream_;
};

/// A point in a stream, which other streams and the host can wait for.
class Event {
 public:
  enum class Timing { off, on };
  /// How the host waits: `spinning` it sees the event at once and occupies a core, `sleeping` it
  /// sees it some 10 microseconds later.
  enum class Wait { spinning, sleeping };
  explicit Event(Timing timing = Timing::off, Wait wait = Wait::spinning);

  void record(StreamView stream) const;
  /// While `stream` is captured: each launch of the graph records the event, which then can be
  /// waited for and timed from outside, as an event that record() captured can't.
  void record_in_graph(StreamView stream) const;
  void synchronize() const;
  /// Later work of `stream` waits for this event.
  void hold_back(StreamView stream) const;
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_.get(); }

 private:
  Unique<cudaEvent_t, cudaEventDestroy> event_;
};

/// Device time between two events that have happened, both made with Timing::on.
[[nodiscard]] float milliseconds_between(const Event& begin, const Event& end);

}  // namespace facepipe::cuda
