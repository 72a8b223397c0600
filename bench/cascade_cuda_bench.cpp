// A cascade on the device: a frame in device memory to candidates in device memory, replays of one
// graph, timed by events on the device.
//
// bench_cascade_cuda CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE [--once], PICTURE a file of
// WIDTH * HEIGHT grey bytes, whole numbers of two. Prints a line: candidates; the time of each of
// 200 replays between two events, median and quartiles; the mean of 100 in a row, median of five.
// --once: one frame and nothing else, for a profiler.
#include <algorithm>
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

Size size_of(const std::string& text) {
  Size size;
  if (std::sscanf(text.c_str(), "%dx%d", &size.width, &size.height) != 2 || size.width < 1 ||
      size.height < 1 || size.width % 2 != 0 || size.height % 2 != 0)
    throw std::invalid_argument("no size of whole numbers of two: " + text);
  return size;
}

/// Full range, so that a sample is its grey level.
Frame frame_of(const std::string& file, Size size) {
  const std::string pixels = read_model_file(file);
  const auto width = static_cast<std::size_t>(size.width);
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

/// The value at `part` of the way through them.
float quantile(std::vector<float> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

void show_times(const cuda::GraphExec& graph, const cuda::Stream& stream) {
  const auto replayed = [&](int times) {
    return milliseconds_of(stream, [&] {
      for (int i = 0; i < times; ++i) graph.launch(stream);
    });
  };
  (void)replayed(20);
  std::vector<float> singles;
  for (int i = 0; i < 200; ++i) singles.push_back(replayed(1));
  std::vector<float> means;
  for (int i = 0; i < 5; ++i) means.push_back(replayed(100) / 100);
  const auto shown = [](float value) { return static_cast<double>(value); };
  std::printf("single %.4f ms (quartiles %.4f %.4f)   in a row %.4f ms\n",
              shown(quantile(singles, 0.5)), shown(quantile(singles, 0.25)),
              shown(quantile(singles, 0.75)), shown(quantile(means, 0.5)));
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
  std::printf("%zu candidates   ", cuda::download(detection->candidates(), stream).size());
  if (!once) show_times(graph, stream);
  return 0;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_cascade_cuda", argc, argv, facepipe::measure);
}
