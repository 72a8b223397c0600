// Finds the windows that a cascade accepts in a grey picture, and measures the time.
// bench/cascade_cpu.py compares the windows and the time with OpenCV's.
//
//   bench_cascade CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE THREADS REPEATS
//
// PICTURE is a file of WIDTH * HEIGHT bytes. For each repeat, the program prints a line with the
// milliseconds. Then it prints a line for each window: x y width height, clipped to the picture.
#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "bench/grey_pictures.h"
#include "bench/program.h"
#include "core/timing.h"
#include "detector/cascade/cpu/cascade_detector.h"

namespace facepipe::bench {
namespace {

int measure(const std::vector<std::string>& words) {
  if (words.size() != 7)
    throw std::invalid_argument(
        "CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE THREADS REPEATS");
  const Size size = size_of(words[2]);
  std::string pixels = read_grey(words[1], size);
  const cv::Mat grey(size.height, size.width, CV_8U, pixels.data());
  const auto scanner =
      std::make_shared<const detector::cascade::Scanner>(detector::cascade::read_cascade(words[0]));
  const detector::cascade::WindowFinder finder(scanner, size,
                                               {std::stod(words[3]), std::stod(words[4])});
  Workers workers(std::stoi(words[5]));
  detector::cascade::WindowFinder::Memory memory;
  std::vector<Box> windows;
  for (int repeat = std::stoi(words[6]); repeat > 0; --repeat) {
    const Clock::time_point begin = Clock::now();
    windows = finder.find(grey, workers, memory);
    std::printf("%.3f\n", in_milliseconds(Clock::now() - begin));
  }
  for (const Box& window : windows) {
    const Box box = clipped(window, size);
    std::printf("%.0f %.0f %.0f %.0f\n", static_cast<double>(box.x1), static_cast<double>(box.y1),
                static_cast<double>(box.width()), static_cast<double>(box.height()));
  }
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_cascade", argc, argv, facepipe::bench::measure);
}
