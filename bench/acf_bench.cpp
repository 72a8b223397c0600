// Finds the windows that a detector of channel features accepts in a picture, and measures the
// time. bench/acf_cpu.py runs this program.
//
//   bench_acf MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE THREADS REPEATS
//
// PICTURE is an NV12 file without padding. For each repeat, the program prints a line with two
// times in milliseconds: the total time, and the time in which windows slide over the channels.
// Then it prints a line with the numbers of scales, cells and windows, and a line for each accepted
// window: the object's x y width height, and the sum of its leaves.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "bench/nv12_picture.h"
#include "bench/program.h"
#include "core/timing.h"
#include "detector/acf/cpu/acf_detector.h"

namespace facepipe::bench {
namespace {

int measure(const std::vector<std::string>& words) {
  if (words.size() != 7)
    throw std::invalid_argument("MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE THREADS REPEATS");
  const Size size = size_of(words[2]);
  const Frame frame = frame_of_nv12(read_nv12(words[1], size), size);
  const detector::acf::PyramidScanner scanner(
      std::make_shared<const detector::acf::Model>(detector::acf::read_model(words[0])), size,
      {std::stod(words[3]), std::stod(words[4])});
  Workers workers(std::stoi(words[5]));
  detector::acf::RgbMaker rgb;
  detector::acf::PyramidScanner::Memory memory;
  std::vector<detector::acf::Window> windows;
  for (int repeat = std::stoi(words[6]); repeat > 0; --repeat) {
    const Clock::time_point begin = Clock::now();
    windows = scanner.find(rgb.picture(frame), workers, memory);
    std::printf("%.3f %.3f\n", in_milliseconds(Clock::now() - begin),
                in_milliseconds(memory.scanned));
  }
  std::int64_t cells = 0;
  std::int64_t places = 0;
  for (const detector::acf::Scale& scale : scanner.scales()) {
    cells += std::int64_t{scale.padded.width} * scale.padded.height;
    places += std::int64_t{scale.places.width} * scale.places.height;
  }
  std::printf("%zu scales, %lld cells, %lld windows\n", scanner.scales().size(),
              static_cast<long long>(cells), static_cast<long long>(places));
  for (const detector::acf::Window& window : windows) {
    const detector::acf::Scale& scale = scanner.scales()[static_cast<std::size_t>(window.scale)];
    const Box box = detector::acf::window_box(scale, window.place.column, window.place.row);
    std::printf("%.2f %.2f %.2f %.2f %d\n", static_cast<double>(box.x1),
                static_cast<double>(box.y1), static_cast<double>(box.width()),
                static_cast<double>(box.height()), window.place.sum);
  }
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_acf", argc, argv, facepipe::bench::measure);
}
