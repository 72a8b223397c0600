// Measures the time of tracking. track() takes 1080p frames, from small luma to boxes, with motion
// and cut detection. crowd() measures one of the two halves of tracking in a crowd, without small
// luma and motion.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/crowd.h"
#include "core/timing.h"
#include "track/cpu/motion.h"
#include "track/follower.h"
#include "track/tracker.h"
#include "track/waiting_frames.h"

namespace facepipe::bench {
namespace {

using bench::kHd;
constexpr PixelFormat kGrey{.has_chroma = false};

/// Returns noise at several scales, which has details of several sizes like a real picture.
std::vector<std::byte> texture(Size size) {
  std::vector<float> sum(static_cast<std::size_t>(size.width) *
                         static_cast<std::size_t>(size.height));
  std::mt19937 random(1);
  for (const int cell : {4, 16, 64}) {
    const int columns = size.width / cell + 2;
    std::vector<float> grid(static_cast<std::size_t>(columns) *
                            static_cast<std::size_t>(size.height / cell + 2));
    for (float& value : grid) value = static_cast<float>(random() % 80);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        sum[static_cast<std::size_t>(y * size.width + x)] +=
            grid[static_cast<std::size_t>(y / cell * columns + x / cell)];
  }
  std::vector<std::byte> samples;
  for (const float value : sum) samples.push_back(static_cast<std::byte>(static_cast<int>(value)));
  return samples;
}

/// Returns `count` faces side by side and a doubtful detection beside each. All move with the
/// picture by 3 pixels a frame.
Detections faces(std::int64_t count, std::int64_t frame) {
  Detections found;
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const float pitch = 1700.0F / static_cast<float>(columns);
  for (std::int64_t i = 0; i < 2 * count; ++i) {
    const float shift = 3 * static_cast<float>(frame % 32);
    const float x = 150 + pitch * static_cast<float>(i / 2 % columns) - shift;
    const std::int64_t row = i / 2 / columns;
    const float y = 20 + 0.55F * pitch * static_cast<float>(row);
    const float side = std::min(60.0F, 0.4F * pitch);
    const float aside = i % 2 == 0 ? 0.0F : 0.5F * pitch;
    found.push_back({x + aside, y, x + aside + side, y + 1.2F * side}, i % 2 == 0 ? 0.8F : 0.04F);
  }
  return found;
}

/// Leaves out each face in every eighth frame, so that tracking must hold faces and fill gaps.
Detections with_gaps(const Detections& all, std::int64_t frame) {
  Detections found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((static_cast<std::int64_t>(i) / 2 + frame) % 8 != 0)
      found.push_back(all.boxes[i], all.scores[i]);
  return found;
}

void track(benchmark::State& state) {
  const Size wide{kHd.width + 96, kHd.height};
  std::vector<std::byte> picture = texture(wide);
  track::CpuMotionEstimator motion;
  track::Tracker tracker(motion);
  std::int64_t frame = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const Plane plane{picture.data() + 3 * (frame % 32), wide.width};
    const Detections found = with_gaps(faces(state.range(0), frame), frame);
    track::TrackerInput input;
    input.time_s = static_cast<double>(frame) / 25;
    input.picture =
        std::make_shared<track::CpuMotionPicture>(track::make_luma(plane, kGrey, kHd, {}));
    input.detections = &found;
    benchmark::DoNotOptimize(tracker.push(std::move(input)));
    ++frame;
  }
}

void small_luma(benchmark::State& state) {
  std::vector<std::byte> picture = texture(kHd);
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(track::make_luma({picture.data(), kHd.width}, kGrey, kHd, {}));
}

enum class Half { follow, decide };

/// Measures one half of tracking. The other half runs between the measured steps.
void crowd(benchmark::State& state, Half measured) {
  constexpr float kShift = 3;
  // After this many frames, all boxes are at their first positions again.
  constexpr int kFrames = kHd.width / 3;
  std::vector<Detections> found;
  for (bench::Crowd crowd(1); found.size() < kFrames;) found.push_back(crowd.next(kShift));
  bench::GivenMotion motion({1, 0, -kShift, 0});
  track::Follower follower(motion, {}, {});
  track::WaitingFrames frames(motion, {});
  const auto picture = std::make_shared<bench::EmptyPicture>();
  std::int64_t frame = 0;
  std::size_t shown = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const auto turn = [&](Half half, auto step) {
      const Clock::time_point begin = Clock::now();
      step();
      if (half == measured) state.SetIterationTime(in_seconds(Clock::now() - begin));
    };
    track::TrackerInput input;
    input.time_s = static_cast<double>(frame) / 25;
    input.picture = picture;
    input.detections = &found[static_cast<std::size_t>(frame++ % kFrames)];
    track::TrackStep followed;
    turn(Half::follow, [&] { followed = follower.follow(std::move(input)); });
    turn(Half::decide, [&] {
      for (const track::TrackedFrame& whole : frames.add(std::move(followed)).frames)
        shown += whole.boxes.size();
    });
  }
  state.counters["boxes"] = static_cast<double>(shown) / static_cast<double>(frame);
}

BENCHMARK(small_luma)->Unit(benchmark::kMillisecond);
BENCHMARK(track)->Arg(0)->Arg(5)->Arg(20)->Arg(100)->Arg(500)->Arg(2000)->Unit(
    benchmark::kMillisecond);
BENCHMARK_CAPTURE(crowd, follow, Half::follow)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(crowd, decide, Half::decide)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace facepipe::bench
