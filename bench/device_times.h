// Times of work on a device, between two events.
#pragma once

#include <functional>
#include <vector>

#include "core/cuda/stream.h"

namespace facepipe {

/// Of what `work` enqueues on the stream.
inline float milliseconds_of(const cuda::Stream& stream, const std::function<void()>& work) {
  const cuda::Event begin(cuda::Event::Timing::on);
  const cuda::Event end(cuda::Event::Timing::on);
  begin.record(stream);
  work();
  end.record(stream);
  end.synchronize();
  return cuda::milliseconds_between(begin, end);
}

/// Of single calls, after some that warm up.
inline std::vector<float> microseconds_of_calls(const cuda::Stream& stream, int warm_up, int calls,
                                                const std::function<void()>& call) {
  for (int i = 0; i < warm_up; ++i) (void)milliseconds_of(stream, call);
  std::vector<float> times;
  for (int i = 0; i < calls; ++i) times.push_back(1000 * milliseconds_of(stream, call));
  return times;
}

}  // namespace facepipe
