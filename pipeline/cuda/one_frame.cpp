#include "pipeline/cuda/one_frame.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "core/color.h"
#include "core/cuda/detections.h"
#include "core/cuda/devices.h"
#include "core/cuda/graph.h"
#include "core/timing.h"
#include "detector/cuda_detector.h"
#include "pipeline/cuda/descriptor.h"
#include "video/cuda/pictures.h"
#include "video/cuda/transfer.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"

namespace facepipe::pipeline {
namespace {

constexpr std::uint32_t kCapacity = 16384;  // candidates; a picture of a self-test has fewer

/// Returns a copy that owns its picture, as frames of the pipeline do.
Frame pipeline_frame(const Frame& frame) {
  video::UniqueAVFrame picture = video::new_av_frame();
  picture->format = AV_PIX_FMT_YUV420P;
  picture->width = frame.size.width;
  picture->height = frame.size.height;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "a picture");
  for (std::size_t i = 0; i < 3; ++i) {
    const Size size = i == 0 ? frame.size : frame.chroma_size();
    const Plane& plane = frame.planes[i];
    for (std::ptrdiff_t y = 0; y < size.height; ++y)
      std::memcpy(picture->data[i] + y * picture->linesize[i], plane.data + y * plane.stride,
                  static_cast<std::size_t>(size.width));
  }
  Frame result = video::wrap(std::move(picture));
  result.color = frame.color;
  return result;
}

}  // namespace

OneFrameResult detect_one_frame(const Frame& frame, Device device,
                                const detector::DetectorOptions& options) {
  const auto factory = detector::make_cuda_detector_factory(device, options);
  cuda::use_device(device);
  const cuda::Stream stream;
  CopyCounter copies;
  video::PictureUpload upload(frame.size, frame.format.bits, 1, device, copies);
  const Frame there = upload.upload(pipeline_frame(frame), stream);
  DescriptorUpload descriptor;
  describe_picture(there, descriptor.host());
  fill_to_rgb(descriptor.host(), there.color, there.format, there.size);

  const std::shared_ptr<const detector::CudaDetector> detector = factory->detector(
      {there.size, there.format, there.orientation}, kCapacity, detector::Tuning::none);
  const std::unique_ptr<detector::CudaDetection> detection = detector->make_detection();
  const cuda::GraphExec graph(cuda::capture(stream, [&] {
    descriptor.enqueue(stream);
    detection->enqueue(descriptor.device(), stream);
  }));
  video::hold_back_until_ready(there, stream);
  OneFrameResult result;
  for (int run = 0; run < 2; ++run) {
    const Clock::time_point begin = Clock::now();
    graph.launch(stream);
    stream.synchronize();
    result.milliseconds = Interval{begin, Clock::now()}.milliseconds();
  }
  result.facts = detector->facts();
  result.candidates = cuda::download(detection->candidates(), stream);
  return result;
}

}  // namespace facepipe::pipeline
