// Measures channel features on the device, from a frame in device memory to candidates in device
// memory. The program replays one CUDA graph, and measures times with CUDA events.
//
//   bench_acf_cuda MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE [--once]
//
// PICTURE is an NV12 file without padding; WIDTH and HEIGHT are even. The program prints the number
// of candidates of any score, and the times that show_replays() prints. --once processes only one
// frame, for a profiler.
#include <stdexcept>

#include "bench/candidates_times.h"
#include "bench/nv12_picture.h"
#include "bench/program.h"
#include "detector/acf/cuda/acf_detector.h"
#include "detector/acf/model/acf.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::bench {
namespace {

int measure(const std::vector<std::string>& words) {
  const bool once = words.size() == 6 && words[5] == "--once";
  if (words.size() != 5 && !once)
    throw std::invalid_argument("MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE [--once]");
  const Size size = size_of(words[2]);
  const Frame frame = frame_of_nv12(read_nv12(words[1], size), size);
  detector::acf::CudaAcfOptions options;
  options.sizes = {std::stod(words[3]), std::stod(words[4])};
  options.score_threshold = 0;
  const auto detection = detector::acf::make_cuda_acf_detector(detector::acf::read_model(words[0]),
                                                               test::layout_of(frame), options)
                             ->make_detection();
  time_candidates(*detection, frame, once);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_acf_cuda", argc, argv, facepipe::bench::measure);
}
