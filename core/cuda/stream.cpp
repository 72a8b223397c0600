#include "core/cuda/stream.h"

#include "core/cuda/check.h"

namespace facepipe::cuda {

void StreamView::synchronize() const { FACEPIPE_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

Stream::Stream(Priority priority) {
  int least = 0;
  int greatest = 0;
  FACEPIPE_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t made = nullptr;
  FACEPIPE_CUDA_CHECK(cudaStreamCreateWithPriority(
      &made, cudaStreamNonBlocking, priority == Priority::urgent ? greatest : least));
  stream_.reset(made);
}

Event::Event(Timing timing, Wait wait) {
  const unsigned timed = timing == Timing::on ? cudaEventDefault : cudaEventDisableTiming;
  const unsigned flags = timed | (wait == Wait::sleeping ? cudaEventBlockingSync : 0U);
  cudaEvent_t made = nullptr;
  FACEPIPE_CUDA_CHECK(cudaEventCreateWithFlags(&made, flags));
  event_.reset(made);
}

void Event::record(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaEventRecord(get(), stream.get()));
}

void Event::record_in_graph(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaEventRecordWithFlags(get(), stream.get(), cudaEventRecordExternal));
}

void Event::synchronize() const { FACEPIPE_CUDA_CHECK(cudaEventSynchronize(get())); }

void Event::hold_back(StreamView stream) const {
  FACEPIPE_CUDA_CHECK(cudaStreamWaitEvent(stream.get(), get(), 0));
}

float milliseconds_between(const Event& begin, const Event& end) {
  float milliseconds = 0;
  FACEPIPE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return milliseconds;
}

}  // namespace facepipe::cuda
