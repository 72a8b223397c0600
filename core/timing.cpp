#include "core/timing.h"

#include <time.h>

#include <algorithm>

namespace facepipe {

std::string_view to_string(StageId stage) {
  constexpr std::array<std::string_view, kStageCount> kNames{
      "read", "decode", "preprocess", "inference", "nms", "overlay", "encode", "mux"};
  return kNames[static_cast<std::size_t>(stage)];
}

double FrameTimes::total_ms() const {
  Clock::time_point last{};
  for (const Interval& stage : stages) last = std::max(last, stage.end);
  const Interval& read = (*this)[StageId::read];
  return read.ran() ? in_milliseconds(last - read.begin) : 0;
}

double FrameTimes::latency_ms() const {
  const Interval& decode = (*this)[StageId::decode];
  const Interval& encode = (*this)[StageId::encode];
  if (!decode.ran()) return 0;
  if (encode.ran()) return in_milliseconds(encode.begin - decode.end);
  Clock::time_point last = decode.end;
  for (StageId id : {StageId::preprocess, StageId::inference, StageId::nms, StageId::overlay})
    last = std::max(last, (*this)[id].end);
  return in_milliseconds(last - decode.end);
}

double ScopedCpuTime::thread_cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace facepipe
