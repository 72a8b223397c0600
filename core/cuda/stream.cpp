#include "core/cuda/stream.h"

#include <utility>

#include "core/cuda/check.h"

namespace facepipe::cuda {

void StreamView::synchronize() const { FACEPIPE_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

Stream::Stream() {
  FACEPIPE_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(stream_, other.stream_);
  return *this;
}

Event::Event(Timing timing) {
  const unsigned flags = timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming;
  FACEPIPE_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
}

Event::~Event() {
  if (event_ != nullptr) cudaEventDestroy(event_);
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(event_, other.event_);
  return *this;
}

void Event::record(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaEventRecord(event_, stream.get()));
}

void Event::record_in_graph(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaEventRecordWithFlags(event_, stream.get(), cudaEventRecordExternal));
}

void Event::synchronize() const { FACEPIPE_CUDA_CHECK(cudaEventSynchronize(event_)); }

void Event::hold_back(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaStreamWaitEvent(stream.get(), event_, 0));
}

float milliseconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  FACEPIPE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return milliseconds;
}

}  // namespace facepipe::cuda
