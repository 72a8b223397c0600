// The windows that a detector of channel features lets pass in a picture, and what finding them
// takes: bench/acf_cpu.py writes it down.
//
// bench_acf MODEL PICTURE WIDTHxHEIGHT MIN_FACE THREADS REPEATS, PICTURE a file of 4 * WIDTH *
// HEIGHT bytes, red, green, blue and an unused one. Prints a line with milliseconds for each
// repeat, then one with scales, cells and windows that were looked at, then one with each window
// that passed: x y width height of the object, and the sum of its leaves.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "bench/program.h"
#include "detector/acf/cpu/acf_detector.h"
#include "detector/model_file.h"

namespace facepipe {
namespace {

int measure(const std::vector<std::string>& words) {
  if (words.size() != 6)
    throw std::invalid_argument("MODEL PICTURE WIDTHxHEIGHT MIN_FACE THREADS REPEATS");
  std::string pixels = read_model_file(words[1]);
  const Size size = size_of(words[2]);
  if (pixels.size() !=
      4 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height))
    throw std::invalid_argument(words[1] + " is no picture of " + words[2]);
  const cv::Mat rgb(size.height, size.width, CV_8UC4, pixels.data());
  const acf::PyramidScanner scanner(std::make_shared<const acf::Model>(acf::read_model(words[0])),
                                    size, {std::stod(words[3]), 0});
  Workers workers(std::stoi(words[4]));
  acf::PyramidScanner::Memory memory;
  std::vector<acf::Window> windows;
  for (int repeat = std::stoi(words[5]); repeat > 0; --repeat) {
    const auto begin = std::chrono::steady_clock::now();
    windows = scanner.find(rgb, workers, memory);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    std::printf("%.3f\n", took.count());
  }
  std::int64_t cells = 0;
  std::int64_t places = 0;
  for (const acf::Scale& scale : scanner.scales()) {
    cells += std::int64_t{scale.padded.width} * scale.padded.height;
    places += std::int64_t{scale.places.width} * scale.places.height;
  }
  std::printf("%zu scales, %lld cells, %lld windows\n", scanner.scales().size(),
              static_cast<long long>(cells), static_cast<long long>(places));
  for (const acf::Window& window : windows) {
    const acf::Scale& scale = scanner.scales()[static_cast<std::size_t>(window.scale)];
    const Box box = acf::window_box(scale, window.place.column, window.place.row);
    std::printf("%.2f %.2f %.2f %.2f %d\n", static_cast<double>(box.x1),
                static_cast<double>(box.y1), static_cast<double>(box.width()),
                static_cast<double>(box.height()), window.place.sum);
  }
  return 0;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_acf", argc, argv, facepipe::measure);
}
