#include "pipeline/cuda/one_frame.h"

#include <algorithm>
#include <memory>

#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/timing.h"
#include "detector/cuda/cuda_detector.h"
#include "detector/to_rgb.h"
#include "pipeline/cuda/pictures.h"
#include "pipeline/cuda/upload.h"

namespace facepipe {
namespace {

Detections download(const cuda::DeviceDetections& from, cuda::StreamView stream) {
  std::uint32_t count = 0;
  cuda::copy(std::span<std::uint32_t>(&count, 1),
             cuda::DeviceSpan<const std::uint32_t>{from.count, 1}, stream);
  stream.synchronize();
  count = std::min(count, from.capacity);
  Detections found;
  found.boxes.resize(count);
  found.scores.resize(count);
  found.landmarks.resize(count);
  cuda::copy(std::span<Box>(found.boxes), cuda::DeviceSpan<const Box>{from.boxes, count}, stream);
  cuda::copy(std::span<float>(found.scores), cuda::DeviceSpan<const float>{from.scores, count},
             stream);
  cuda::copy(std::span<Landmarks>(found.landmarks),
             cuda::DeviceSpan<const Landmarks>{from.landmarks, count}, stream);
  stream.synchronize();
  return found;
}

}  // namespace

OneFrameResult detect_one_frame(const Frame& frame, Device device, const DetectorOptions& options) {
  static_cast<void>(choose_engine(device, options));
  cuda::use_device(device);
  const cuda::Stream stream;
  CopyCounter copies;
  PictureUpload upload(frame.size, frame.format.bits, 1, device, copies);
  const Frame there = upload.upload(frame, stream);
  DescriptorUpload descriptor(copies);
  describe_picture(there, descriptor.host());
  fill_to_rgb(descriptor.host(), there.color, there.format, there.size);

  const NetworkFit fit = fit_network(there.upright(), options.detect_size);
  CudaDetection detection(std::make_shared<const CudaDetector>(
      Model(options.model), fit, StreamLayout{there.size, there.format, there.orientation},
      CudaDetectorOptions{.score_threshold = options.score_threshold}));
  const cuda::GraphExec graph(cuda::capture(stream, [&] {
    descriptor.enqueue(stream);
    detection.enqueue(descriptor.device(), stream);
  }));
  hold_back_until_ready(there, stream);
  OneFrameResult result;
  for (int run = 0; run < 2; ++run) {
    const Clock::time_point begin = Clock::now();
    graph.launch(stream);
    stream.synchronize();
    result.milliseconds = Interval{begin, Clock::now()}.milliseconds();
  }
  result.network_size = fit.network;
  result.candidates = download(detection.candidates(), stream);
  return result;
}

}  // namespace facepipe
