// Measures the rate of NVDEC alone, which no pipeline can exceed. NVDEC has the same setup as in
// facepipe. There are no later stages, and each frame is released at once.
//
//   bench_decode_cuda CLIP [--lanes N] [--from FRAME] [--frames-in-flight N]
//
// The program prints frames, frames a second, and milliseconds until the first frame. N lanes
// (default: 1) run at the same time, and each decodes the whole clip. The rate is that of all lanes
// together. It is measured from the time when all lanes have passed FRAME (default: 200) until the
// first lane ends.
#include <cstdint>
#include <cstdio>
#include <future>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/nvdec_frames.h"
#include "bench/program.h"
#include "core/timing.h"

namespace facepipe::bench {
namespace {

struct Options {
  std::string clip;
  int lanes = 1;
  std::int64_t from = 200;
  int frames_in_flight = 4;
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--from" && has_value)
      options.from = std::stol(words[++i]);
    else if (words[i] == "--lanes" && has_value)
      options.lanes = std::stoi(words[++i]);
    else if (words[i] == "--frames-in-flight" && has_value)
      options.frames_in_flight = std::stoi(words[++i]);
    else if (options.clip.empty() && !words[i].starts_with("--"))
      options.clip = words[i];
    else
      throw std::runtime_error(
          "usage: bench_decode_cuda CLIP [--lanes N] [--from FRAME] [--frames-in-flight N]");
  }
  if (options.clip.empty()) throw std::runtime_error("which clip?");
  if (options.from < 1 || options.lanes < 1)
    throw std::runtime_error("--from and --lanes are 1 or more");
  return options;
}

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Records when the frames of all lanes arrive.
class Arrivals {
 public:
  Arrivals(int lanes, std::int64_t from) : from_(from), to_begin_(lanes) {}

  /// Notes that a lane has decoded its frame number `index`.
  void add(std::int64_t index) {
    const std::scoped_lock lock(mutex_);
    if (all_++ == 0) first_ = Clock::now();
    if (index != from_ || --to_begin_ > 0) return;
    all_began_ = Clock::now();
    before_ = all_;
  }

  /// Notes that a lane has decoded everything.
  void end() {
    const std::scoped_lock lock(mutex_);
    if (ended_) return;
    ended_ = Clock::now();
    counted_ = all_ - before_;
  }

  void show() const {
    if (to_begin_ > 0 || counted_ <= 0)
      throw std::runtime_error("the clip has too few frames, or one lane ended before all began");
    std::printf("%lld\t%.1f\t%.1f\n", static_cast<long long>(all_),
                static_cast<double>(counted_) / seconds_between(all_began_, *ended_),
                1000 * seconds_between(start_, first_));
  }

 private:
  std::mutex mutex_;
  std::int64_t from_;
  int to_begin_;
  std::int64_t all_ = 0;
  std::int64_t before_ = 0;   // frames of all lanes until all had passed frame `from`
  std::int64_t counted_ = 0;  // frames between all_began_ and ended_
  Clock::time_point start_ = Clock::now();
  Clock::time_point first_;
  Clock::time_point all_began_;             // when all lanes had passed frame `from`
  std::optional<Clock::time_point> ended_;  // when the first lane ended
};

void decode_all(const Options& options, Arrivals& arrivals) {
  constexpr int kDecodedOrBetween = 2;
  std::int64_t index = 0;
  decode_by_nvdec(options.clip, options.frames_in_flight + kDecodedOrBetween, [&](const Frame&) {
    arrivals.add(index++);
    return true;
  });
  arrivals.end();
}

int bench(const std::vector<std::string>& words) {
  const Options options = parse(words);
  Arrivals arrivals(options.lanes, options.from);
  std::vector<std::future<void>> lanes;
  for (int i = 0; i < options.lanes; ++i)
    lanes.push_back(std::async(std::launch::async, [&] { decode_all(options, arrivals); }));
  for (std::future<void>& lane : lanes) lane.get();
  arrivals.show();
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_decode_cuda", argc, argv, facepipe::bench::bench);
}
