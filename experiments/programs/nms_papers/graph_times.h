// Measures replays of a graph, and prints the line of results.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "bench/device_times.h"
#include "bench/nms_cuda/set_results.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"

namespace facepipe::nms_papers {

/// The contents of a line, except the times.
struct Line {
  std::string who;
  const bench::Set& set;
  std::size_t kept;
};

/// Captures the work that `enqueue` enqueues, and measures replays of the graph.
inline void show_graph(const Line& line, const cuda::Stream& stream, int replays,
                       const std::function<void()>& enqueue) {
  const cuda::GraphExec graph(cuda::capture(stream, enqueue));
  bench::show(line.who, line.set, line.kept,
              bench::microseconds_of_replays(graph, stream, replays));
}

}  // namespace facepipe::nms_papers
