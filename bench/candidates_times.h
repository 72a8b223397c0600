// Measures a detector on a CUDA device, from a frame in device memory to candidates in device
// memory.
#pragma once

#include <string>

#include "bench/device_times.h"
#include "core/cuda/detections.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/cuda_detector.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::bench {

/// Prints the number of candidates, and the times that show_replays() prints. With `once`, only
/// launches the graph one time, for a profiler.
inline void time_candidates(detector::CudaDetection& detection, const Frame& frame, bool once) {
  const cuda::Stream stream;
  const test::DescribedFrame picture(frame, stream);
  const cuda::GraphExec graph(
      cuda::capture(stream, [&] { detection.enqueue(picture.descriptor(), stream); }));
  graph.launch(stream);
  const std::size_t found = cuda::download(detection.candidates(), stream).size();
  if (!once) show_replays(std::to_string(found) + " candidates", graph, stream);
}

}  // namespace facepipe::bench
