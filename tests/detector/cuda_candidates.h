// Runs a detector on the device in tests, and compares its candidates.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/cuda_detector.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::test {

inline Detections run(detector::CudaDetection& detection, const Frame& frame) {
  const cuda::Stream stream;
  const DescribedFrame device(frame, stream);
  detection.enqueue(device.descriptor(), stream);
  return cuda::download(detection.candidates(), stream);
}

/// Returns the number of candidates that the last run found, including those beyond the capacity.
inline std::uint32_t count_of(const detector::CudaDetection& detection) {
  std::uint32_t count = 0;
  const cuda::Stream stream;
  cuda::copy(std::span<std::uint32_t>(&count, 1),
             cuda::DeviceSpan<const std::uint32_t>{detection.candidates().count, 1}, stream);
  stream.synchronize();
  return count;
}

/// Replays the detection's graph a hundred times. Expects the same candidates each time.
inline void expect_always(detector::CudaDetection& detection, const Frame& frame,
                          const Detections& expected) {
  const cuda::Stream stream;
  const DescribedFrame device(frame, stream);
  const cuda::GraphExec graph(
      cuda::capture(stream, [&] { detection.enqueue(device.descriptor(), stream); }));
  for (int i = 0; i < 100; ++i) {
    graph.launch(stream);
    const Detections found = cuda::download(detection.candidates(), stream);
    ASSERT_EQ(found.boxes, expected.boxes) << i;
    ASSERT_EQ(found.scores, expected.scores) << i;
  }
}

}  // namespace facepipe::test
