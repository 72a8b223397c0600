// NVDEC alone, as the program sets it up, with all later stages off: each frame is let go as soon
// as it is there. What a pipeline can reach at most.
//
//   bench_decode_cuda CLIP [--from FRAME] [--frames-in-flight N]
//
// Prints frames, frames a second from frame FRAME (200) on, and milliseconds until the first frame.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/nvdec_frames.h"
#include "bench/program.h"
#include "core/cuda/check.h"

namespace facepipe {
namespace {

struct Options {
  std::string clip;
  std::int64_t from = 200;
  int frames_in_flight = 4;
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--from" && has_value)
      options.from = std::stol(words[++i]);
    else if (words[i] == "--frames-in-flight" && has_value)
      options.frames_in_flight = std::stoi(words[++i]);
    else if (options.clip.empty() && !words[i].starts_with("--"))
      options.clip = words[i];
    else
      throw std::runtime_error(
          "usage: bench_decode_cuda CLIP [--from FRAME] [--frames-in-flight N]");
  }
  if (options.clip.empty()) throw std::runtime_error("which clip?");
  if (options.from < 1) throw std::runtime_error("--from is 1 or more");
  return options;
}

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// When the frames came.
struct Arrivals {
  Clock::time_point start = Clock::now();
  Clock::time_point first;
  Clock::time_point settled;  ///< frame `from`
  Clock::time_point end;
  std::int64_t frames = 0;
};

Arrivals decode_all(const Options& options) {
  Arrivals arrivals;
  constexpr int kDecodedOrBetween = 2;
  decode_by_nvdec(options.clip, options.frames_in_flight + kDecodedOrBetween, [&](const Frame&) {
    if (arrivals.frames == 0) arrivals.first = Clock::now();
    if (arrivals.frames == options.from) arrivals.settled = Clock::now();
    ++arrivals.frames;
    return true;
  });
  FACEPIPE_CUDA_CHECK(cudaDeviceSynchronize());
  arrivals.end = Clock::now();
  return arrivals;
}

void show(const Options& options, const Arrivals& arrivals) {
  const double span = seconds_between(arrivals.settled, arrivals.end);
  if (arrivals.frames <= options.from) throw std::runtime_error("the clip has too few frames");
  std::printf("%lld\t%.1f\t%.1f\n", static_cast<long long>(arrivals.frames),
              static_cast<double>(arrivals.frames - options.from) / span,
              1000 * seconds_between(arrivals.start, arrivals.first));
}

int bench(const std::vector<std::string>& words) {
  const Options options = parse(words);
  show(options, decode_all(options));
  return 0;
}

}  // namespace
}  // namespace facepipe

int main(int argc, char** argv) {
  return facepipe::run_measurement("bench_decode_cuda", argc, argv, facepipe::bench);
}
