// A cascade on the device: a frame in device memory to candidates in device memory, replays of one
// graph, timed by events on the device.
//
// bench_cascade_cuda CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE [--once], PICTURE a file of
// WIDTH * HEIGHT grey bytes, whole numbers of two. Prints how many candidates, and the line of
// show_replays().
// --once: one frame and nothing else, for a profiler.
#include <cstdio>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/cascade/cuda/cascade_detector.h"
#include "detector/model_file.h"
#include "tests/detector/cnn/cuda/device_frame.h"
#include "tests/support/test_frame.h"

namespace facepipe {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr std::uint32_t kCapacity = 4096;

/// Full range, so that a sample is its grey level.
Frame frame_of(const std::string& file, Size size) {
  const std::string pixels = read_model_file(file);
  const auto width = static_cast<std::size_t>(size.width);
  if (size.width % 2 != 0 || size.height % 2 != 0)
    throw std::invalid_argument("no size of whole numbers of two: " + to_string(size));
  if (pixels.size() != width * static_cast<std::size_t>(size.height))
    throw std::invalid_argument(file + " is no grey picture of " + to_string(size));
  test::FrameSpec spec{kNv12, size, {}};
  spec.color.full_range = true;
  Frame frame = test::make_noise_frame(spec, 1);
  for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
    for (std::size_t x = 0; x < width; ++x)
      test::set_raw_sample(frame, 0, static_cast<int>(x), static_cast<int>(y),
                           static_cast<unsigned char>(pixels[y * width + x]));
  return frame;
}

int measure(const std::vector<std::string>& words) {
  const bool once = words.size() == 6 && words[5] == "--once";
  if (words.size() != 5 && !once)
    throw std::invalid_argument("CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE [--once]");
  const Frame frame = frame_of(words[1], size_of(words[2]));
  cascade::CudaCascadeOptions options;
  options.levels = {std::stod(words[3]), std::stod(words[4])};
  options.capacity = kCapacity;
  const auto detection = cascade::make_cuda_cascade_detector(cascade::read_cascade(words[0]),
                                                             test::layout_of(frame), options)
                             ->make_detection();
  const cuda::Stream stream;
  const test::DeviceFrame picture(frame, stream);
  const cuda::GraphExec graph(
      cuda::capture(stream, [&] { detection->enqueue(picture.descriptor(), stream); }));
  graph.launch(stream);
  const std::size_t found = cuda::download(detection->candidates(), stream).size();
  if (!once) show_replays(std::to_string(found) + " candidates", graph, stream);
  return 0;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_cascade_cuda", argc, argv, facepipe::measure);
}
