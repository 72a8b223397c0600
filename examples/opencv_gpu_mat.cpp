// Shows how to add a step of your own to the pipeline, with OpenCV's CUDA functions. A
// cv::cuda::GpuMat refers to the memory into which NVDEC has decoded the picture, by pointer and
// pitch. Nothing is copied.
//
//   example_opencv_gpu_mat CLIP X Y WIDTH HEIGHT
//
// Blackens a rectangle of each picture, and checks the last picture: the exit code is 1 if the
// rectangle isn't black. The program is built if FACEPIPE_OPENCV names an OpenCV with CUDA.
#include <cstdio>
#include <opencv2/core/cuda.hpp>
#include <opencv2/core/cuda_stream_accessor.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/nvdec_frames.h"
#include "bench/program.h"
#include "core/cuda/stream.h"
#include "video/cuda/pictures.h"

namespace facepipe {
namespace {

/// Returns the luma of a frame in device memory. The frame owns the memory. Samples of more than 8
/// bits are in the upper bits of 16-bit words.
cv::cuda::GpuMat luma_of(const Frame& frame) {
  const Plane& plane = frame.planes[0];
  return {frame.size.height, frame.size.width, frame.format.bits > 8 ? CV_16UC1 : CV_8UC1,
          plane.data, static_cast<std::size_t>(plane.stride)};
}

/// Returns the frame's chroma: U and V side by side, half as wide and high as luma.
cv::cuda::GpuMat chroma_of(const Frame& frame) {
  const Plane& plane = frame.planes[1];
  const Size size = frame.chroma_size();
  return {size.height, size.width, frame.format.bits > 8 ? CV_16UC2 : CV_8UC2, plane.data,
          static_cast<std::size_t>(plane.stride)};
}

constexpr int kBlack = 16;  // black of limited range
constexpr int kNoColour = 128;

int sample(const Frame& frame, int value) { return frame.format.bits > 8 ? value << 8 : value; }

/// Enqueues the work that blackens a rectangle. It begins after the event Frame::ready, when the
/// picture is in memory. Code that reads the frame on another stream must make that stream wait for
/// `stream` (see attach_ready()).
void blacken(const Frame& frame, const cv::Rect& place, cuda::StreamView stream) {
  video::hold_back_until_ready(frame, stream);
  cv::cuda::Stream on_it = cv::cuda::StreamAccessor::wrapStream(stream.get());
  luma_of(frame)(place).setTo(cv::Scalar(sample(frame, kBlack)), on_it);
  const cv::Rect half(place.x / 2, place.y / 2, place.width / 2, place.height / 2);
  chroma_of(frame)(half).setTo(cv::Scalar::all(sample(frame, kNoColour)), on_it);
}

bool is_black(const Frame& frame, const cv::Rect& place, cuda::StreamView stream) {
  cv::Mat luma;
  cv::cuda::Stream on_it = cv::cuda::StreamAccessor::wrapStream(stream.get());
  luma_of(frame)(place).download(luma, on_it);
  stream.synchronize();
  double least = 0;
  double most = 0;
  cv::minMaxLoc(luma, &least, &most);
  return least == most && static_cast<int>(most) == sample(frame, kBlack);
}

int run(const std::vector<std::string>& words) {
  if (words.size() != 5)
    throw std::runtime_error("usage: example_opencv_gpu_mat CLIP X Y WIDTH HEIGHT");
  const cv::Rect place(std::stoi(words[1]), std::stoi(words[2]), std::stoi(words[3]),
                       std::stoi(words[4]));
  cuda::use_device({DeviceKind::cuda, 0});
  const cuda::Stream stream;
  int frames = 0;
  bool black = false;
  constexpr int kAlive = 1;
  bench::decode_by_nvdec(words[0], kAlive, [&](const Frame& frame) {
    blacken(frame, place, stream);
    black = is_black(frame, place, stream);
    ++frames;
    return true;
  });
  std::printf("%d frames, the rectangle is %s\n", frames, black ? "black" : "not black");
  return black ? 0 : 1;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("example_opencv_gpu_mat", argc, argv, facepipe::run);
}
