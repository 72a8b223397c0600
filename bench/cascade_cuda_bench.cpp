// Measures a cascade on a CUDA device, from a frame in device memory to candidates in device
// memory. The program replays one CUDA graph, and measures times with CUDA events.
//
//   bench_cascade_cuda CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE [--once]
//
// PICTURE is a file of WIDTH * HEIGHT grey bytes; WIDTH and HEIGHT are even. The program prints the
// number of candidates, and the times that show_replays() prints. --once processes only one frame,
// for a profiler.
#include <stdexcept>

#include "bench/candidates_times.h"
#include "bench/grey_frame.h"
#include "bench/grey_pictures.h"
#include "bench/program.h"
#include "detector/cascade/cuda/cascade_detector.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::bench {
namespace {

constexpr std::uint32_t kCapacity = 4096;

int measure(const std::vector<std::string>& words) {
  const bool once = words.size() == 6 && words[5] == "--once";
  if (words.size() != 5 && !once)
    throw std::invalid_argument("CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE [--once]");
  const Size size = size_of(words[2]);
  const Frame frame = grey_frame(read_grey(words[1], size), size);
  detector::cascade::CudaCascadeOptions options;
  options.levels = {std::stod(words[3]), std::stod(words[4])};
  options.capacity = kCapacity;
  const auto detection =
      detector::cascade::make_cuda_cascade_detector(detector::cascade::read_cascade(words[0]),
                                                    test::layout_of(frame), options)
          ->make_detection();
  time_candidates(*detection, frame, once);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_cascade_cuda", argc, argv,
                                          facepipe::bench::measure);
}
