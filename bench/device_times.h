// Measures work on a device by the time between two CUDA events, and prints the times.
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/result_times.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"

namespace facepipe::bench {

/// Returns the milliseconds that the device needs for the work that `work` enqueues on the stream.
inline float milliseconds_of(const cuda::Stream& stream, const std::function<void()>& work) {
  const cuda::Event begin(cuda::Event::Timing::on);
  const cuda::Event end(cuda::Event::Timing::on);
  begin.record(stream);
  work();
  end.record(stream);
  end.synchronize();
  return cuda::milliseconds_between(begin, end);
}

/// Returns the microseconds of single calls, which follow `warm_up` calls that don't count.
inline std::vector<float> microseconds_of_calls(const cuda::Stream& stream, int warm_up, int calls,
                                                const std::function<void()>& call) {
  for (int i = 0; i < warm_up; ++i) (void)milliseconds_of(stream, call);
  std::vector<float> times;
  for (int i = 0; i < calls; ++i) times.push_back(1000 * milliseconds_of(stream, call));
  return times;
}

/// Returns the microseconds of single replays, which follow kWarmUp replays that don't count.
inline std::vector<float> microseconds_of_replays(const cuda::GraphExec& graph,
                                                  const cuda::Stream& stream, int replays) {
  return microseconds_of_calls(stream, kWarmUp, replays, [&] { graph.launch(stream); });
}

inline constexpr int kSingles = 200;
inline constexpr int kInARow = 100;  ///< replays in a group
inline constexpr int kGroups = 5;    ///< groups of replays

/// Returns the milliseconds of `replays` replays in a row.
inline float time_replays(const cuda::GraphExec& graph, const cuda::Stream& stream, int replays) {
  return milliseconds_of(stream, [&] {
    for (int i = 0; i < replays; ++i) graph.launch(stream);
  });
}

inline std::vector<float> sorted(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Prints the median and quartiles of 200 single replays. Then prints the best and the median of
/// five groups; the time of a group is the mean of its 100 replays in a row.
inline void show_replays(const std::string& what, const cuda::GraphExec& graph,
                         const cuda::Stream& stream) {
  for (int i = 0; i < 20; ++i) graph.launch(stream);
  std::vector<float> singles;
  for (int i = 0; i < kSingles; ++i) singles.push_back(time_replays(graph, stream, 1));
  singles = sorted(singles);
  std::vector<float> means;
  for (int i = 0; i < kGroups; ++i)
    means.push_back(time_replays(graph, stream, kInARow) / static_cast<float>(kInARow));
  means = sorted(means);
  std::printf("%-28s single %.4f ms (quartiles %.4f %.4f)   in a row %.4f ms best, %.4f median\n",
              what.c_str(), static_cast<double>(singles[kSingles / 2]),
              static_cast<double>(singles[kSingles / 4]),
              static_cast<double>(singles[3 * kSingles / 4]), static_cast<double>(means.front()),
              static_cast<double>(means[kGroups / 2]));
  std::fflush(stdout);
}

}  // namespace facepipe::bench
