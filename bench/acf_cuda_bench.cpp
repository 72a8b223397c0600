// Channel features on the device: a frame in device memory to candidates in device memory, replays
// of one graph, timed by events on the device.
//
// bench_acf_cuda MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE [--once], PICTURE a file of NV12,
// whole numbers of two, without padding. Prints how many candidates of any score, and the line of
// show_replays().
// --once: one frame and nothing else, for a profiler.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/acf/cuda/acf_detector.h"
#include "detector/acf/model/acf.h"
#include "detector/model_file.h"
#include "tests/detector/cnn/cuda/device_frame.h"
#include "tests/support/test_frame.h"

namespace facepipe {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};

Frame frame_of(const std::string& file, Size size) {
  const std::string bytes = read_model_file(file);
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  if (size.width % 2 != 0 || size.height % 2 != 0)
    throw std::invalid_argument("no size of whole numbers of two: " + to_string(size));
  if (bytes.size() != width * height * 3 / 2)
    throw std::invalid_argument(file + " is no NV12 of " + to_string(size));
  Frame frame = test::make_noise_frame({.format = kNv12, .size = size}, 1);
  for (std::size_t y = 0; y < height * 3 / 2; ++y) {
    const std::size_t plane = y < height ? 0 : 1;
    const std::size_t row = y < height ? y : y - height;
    for (std::size_t x = 0; x < width; ++x)
      test::set_raw_sample(frame, plane, static_cast<int>(x), static_cast<int>(row),
                           static_cast<unsigned char>(bytes[y * width + x]));
  }
  return frame;
}

int measure(const std::vector<std::string>& words) {
  const bool once = words.size() == 6 && words[5] == "--once";
  if (words.size() != 5 && !once)
    throw std::invalid_argument("MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE [--once]");
  const Frame frame = frame_of(words[1], size_of(words[2]));
  acf::CudaAcfOptions options;
  options.sizes = {std::stod(words[3]), std::stod(words[4])};
  options.score_threshold = 0;
  const auto detection =
      acf::make_cuda_acf_detector(acf::read_model(words[0]), test::layout_of(frame), options)
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
  return facepipe::run_measurement("bench_acf_cuda", argc, argv, facepipe::measure);
}
