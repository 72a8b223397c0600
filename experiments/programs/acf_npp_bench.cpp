// Measures the steps of Van Ranst et al.'s feature calculation for which the paper calls NPP: with
// NPP, and with the kernels that replace NPP in bench_acf_variants. The program is built only where
// CMake finds NPP (data/fetch-npp).
//
//   bench_acf_npp PICTURE WIDTHxHEIGHT [--replays N]
//
// PICTURE is an NV12 file without padding, of BT.709 in limited range. Its size consists of whole
// cells of 4 x 4 pixels. --replays is the number of timed calls for each line, after ten calls that
// don't count: 1..100000 (default: 50).
//
// A line of the results has step, who, mean and largest difference, and times in microseconds. Tabs
// separate the columns. Who is "NPP" or "ours". Differences are between NPP's result and ours, for
// the same input: over all samples, but without the outermost pixels for gradients, because
// our differences there have only one neighbour. They are 0 for "ours". The steps "gradient" and
// "sobel" are compared with the gradient of the lightness alone, which NPP computes, although our
// kernel finds the strongest colour, and the orientation, in the same time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/nv12_picture.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "experiments/programs/acf_variants/features.h"
#include "experiments/programs/acf_variants/npp_steps.h"

namespace facepipe::acf_variants {
namespace {

constexpr int kMostReplays = 100000;
constexpr float kSobel = 1.0F / 8;  ///< the sum of a Sobel mask's positive weights is 4; ours is .5

struct Options {
  std::string picture;
  std::string size;
  int replays = 50;
};

Options parse(std::vector<std::string> words) {
  Options options;
  CLI::App app;
  app.set_help_flag();
  app.add_option("PICTURE", options.picture)->required();
  app.add_option("SIZE", options.size)->required();
  app.add_option("--replays", options.replays)->check(CLI::Range(1, kMostReplays));
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the end of the vector
  app.parse(std::move(words));
  return options;
}

struct Difference {
  double mean = 0;
  double most = 0;
};

Difference difference(const std::vector<float>& npp, const std::vector<float>& ours) {
  Difference found;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double of_sample = std::abs(static_cast<double>(npp[i]) - static_cast<double>(ours[i]));
    found.mean += of_sample / static_cast<double>(ours.size());
    // The negation also keeps a difference that is no number.
    if (!(of_sample <= found.most)) found.most = of_sample;
  }
  return found;
}

/// Returns the samples of a plane without its outermost rows and columns.
std::vector<float> inside(const std::vector<float>& plane, Size size, float factor = 1) {
  std::vector<float> samples;
  for (int y = 1; y < size.height - 1; ++y)
    for (int x = 1; x < size.width - 1; ++x)
      samples.push_back(factor * plane[static_cast<std::size_t>(y * size.width + x)]);
  return samples;
}

/// Returns the magnitudes of the gradient of one smoothed plane.
std::vector<float> magnitudes_of(const std::vector<float>& smooth, Size size) {
  const Plane plane{smooth.data(), size};
  std::vector<float> magnitudes;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      using detector::acf::kHalf;
      const float gx = detector::acf::slope(plane.at(x - 1, y), plane.at(x + 1, y), kHalf);
      const float gy = detector::acf::slope(plane.at(x, y - 1), plane.at(x, y + 1), kHalf);
      magnitudes.push_back(detector::acf::root(detector::acf::squared(gx, gy)));
    }
  return magnitudes;
}

class Measurement {
 public:
  explicit Measurement(const Options& options)
      : replays_(options.replays),
        size_(bench::size_of(options.size)),
        bytes_(bench::read_nv12(options.picture, size_)),
        features_({reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()}, size_,
                  bench::frame_of_nv12(bytes_, size_).color),
        channels_(detector::acf::kChannels * cells()),
        npp_(size_, stream_) {}

  void run() {
    features_.enqueue_all(channels_.data(), stream_);
    for (const NppStep step : kNppSteps) {
      const auto by_npp = [&] { npp_.enqueue(step, features_.nv12(), planes()); };
      by_npp();
      show(name_of(step), "NPP", compare(step), by_npp);
    }
    for (const Step step : {Step::luv, Step::smooth, Step::gradient, Step::shrink})
      show(name_of(step), "ours", {}, [&] { features_.enqueue(step, channels_.data(), stream_); });
  }

 private:
  [[nodiscard]] std::size_t samples() const {
    return static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
  }
  [[nodiscard]] std::size_t cells() const {
    return samples() / (detector::acf::kShrink * detector::acf::kShrink);
  }
  [[nodiscard]] FeaturePlanes planes() const { return features_.planes(channels_.data()); }

  [[nodiscard]] std::vector<float> downloaded(const float* from, std::size_t count) const {
    std::vector<float> values(count);
    cuda::copy(std::span<float>(values), cuda::DeviceSpan<const float>{from, count}, stream_);
    stream_.synchronize();
    return values;
  }

  [[nodiscard]] Difference compare(NppStep step) const {
    const std::size_t colors = detector::acf::kColors * samples();
    const std::size_t shrunk = (detector::acf::kColors + 1) * cells();
    switch (step) {
      case NppStep::luv:
        return difference(downloaded(npp_.result(), colors), downloaded(planes().luv, colors));
      case NppStep::smooth:
        return difference(downloaded(npp_.result(), colors), downloaded(planes().smooth, colors));
      case NppStep::gradient:
        return compare_magnitudes(1);
      case NppStep::sobel:
        return compare_magnitudes(kSobel);
      case NppStep::shrink:
        return difference(downloaded(npp_.result(), shrunk), downloaded(channels_.data(), shrunk));
    }
    return {};
  }

  [[nodiscard]] Difference compare_magnitudes(float factor) const {
    const std::vector<float> ours = magnitudes_of(downloaded(planes().smooth, samples()), size_);
    return difference(inside(downloaded(npp_.result(), samples()), size_, factor),
                      inside(ours, size_));
  }

  void show(const char* step, const char* who, const Difference& from_ours,
            const std::function<void()>& enqueue) const {
    const cuda::GraphExec graph(cuda::capture(stream_, enqueue));
    const std::vector<float> times = bench::microseconds_of_replays(graph, stream_, replays_);
    std::printf("%s\t%s\t%.3g\t%.3g", step, who, from_ours.mean, from_ours.most);
    bench::show_times(times);
  }

  int replays_;
  Size size_;
  std::string bytes_;
  cuda::Stream stream_;
  PublishedFeatures features_;
  cuda::DeviceBuffer<float> channels_;
  NppSteps npp_;
};

int bench(const std::vector<std::string>& words) {
  Measurement(parse(words)).run();
  return 0;
}

}  // namespace
}  // namespace facepipe::acf_variants

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_acf_npp", argc, argv,
                                          facepipe::acf_variants::bench);
}
