// Measures the experiments of Van Ranst et al. on the device: feature calculation with a kernel for
// each step, and their methods to find windows (acf_variants/variants.h). It also measures our
// detector. The program replays graphs, and measures times with CUDA events. Kernels that launch
// kernels can't be in graphs; each call of them is enqueued while earlier work runs.
//
//   bench_acf_variants MODEL PICTURE WIDTHxHEIGHT MIN_FACE MAX_FACE [--replays N] [--trees N,N,...]
//                      [--coarse MODEL] [--multiprocessors N]
//
// PICTURE is an NV12 file without padding. --replays is the number of timed calls for each line,
// after ten calls that don't count: 1..100000 (default: 50). --trees are the numbers of first trees
// of the hybrids (default: 8,32). --coarse is a coarse detector, which runs before MODEL (train-acf
// --coarse). Then the program measures "coarse and fine" on the device, and "coarse and fine" and
// "fine alone" in plain loops on one core, with the host's clock; "alive" is the number of windows
// that the coarse detector leaves. --multiprocessors runs everything on N multiprocessors (in a
// green context; CUDA rounds N up, and standard error says to which number). A GTX 1080, the
// paper's GPU, has 20. If a variant finds other windows than our detector, this is an error.
//
// A line of the results has who, part, first trees, windows, alive, passed, and times in
// microseconds. Tabs separate the columns. There are three parts: "total", from a frame in device
// memory to candidates in order; "features", from the frame to the channels of all scales;
// "evaluation", from the channels to accepted windows in any order. The published features, for the
// scale of the picture itself, have a part for each step, "cells" (our step, which smooths again
// and pads), and "features" for all steps. Alive is the number of windows that the first trees
// left. A column that a line doesn't have is 0. If the device has no room for all launches, there
// is not a line, and standard error says so.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/most_multiprocessors.h"
#include "bench/nv12_picture.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "core/timing.h"
#include "detector/acf/cuda/acf_detector.h"
#include "experiments/programs/acf_variants/features.h"
#include "experiments/programs/acf_variants/pyramid_on_device.h"
#include "experiments/programs/hardware/places.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::acf_variants {
namespace {

constexpr int kMostReplays = 100000;
constexpr int kMostCalls = 10;  ///< for kernels that launch kernels, which can take long

struct Options {
  std::string model;
  std::string picture;
  std::string size;
  detector::acf::SizeLimits sizes;
  int replays = 50;
  std::vector<int> trees{8, 32};
  std::string coarse;                ///< file of the coarse model, or empty
  std::vector<std::uint32_t> parts;  ///< one number of multiprocessors; empty: the whole device
};

Options parse(std::vector<std::string> words) {
  Options options;
  CLI::App app;
  app.set_help_flag();
  app.add_option("MODEL", options.model)->required();
  app.add_option("PICTURE", options.picture)->required();
  app.add_option("SIZE", options.size)->required();
  app.add_option("MIN_FACE", options.sizes.least)->required();
  app.add_option("MAX_FACE", options.sizes.most)->required();
  app.add_option("--replays", options.replays)->check(CLI::Range(1, kMostReplays));
  app.add_option("--trees", options.trees)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  app.add_option("--coarse", options.coarse);
  app.add_option("--multiprocessors", options.parts)
      ->expected(1)
      ->check(CLI::Range(std::uint32_t{1}, bench::kMostMultiprocessors));
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the end of the vector
  app.parse(std::move(words));
  return options;
}

/// The contents of a line, except the times.
struct Line {
  const char* who;
  const char* part;
  int trees = 0;
  std::size_t windows = 0;
  std::size_t alive = 0;
  std::size_t passed = 0;
};

class Measurement {
 public:
  explicit Measurement(Options options)
      : options_(std::move(options)),
        size_(bench::size_of(options_.size)),
        model_(detector::acf::read_model(options_.model)),
        bytes_(bench::read_nv12(options_.picture, size_)),
        frame_(bench::frame_of_nv12(bytes_, size_)),
        device_frame_(frame_, stream_),
        pyramid_(model_, test::layout_of(frame_), options_.sizes) {}

  void run() {
    measure_ours();
    measure_published_features();
    pyramid_.enqueue_channels(device_frame_.descriptor(), stream_);
    measure_variant("window parallel", Variant::window);
    measure_variant("stage parallel", Variant::stage);
    measure_variant("stage parallel, whole groups", Variant::stage_whole_groups);
    for (const int trees : options_.trees) {
      if (trees > pyramid_.tables().plan.classifier.tree_count) continue;
      measure_variant("hybrid, compaction", Variant::hybrid_compaction, trees);
      measure_variant("hybrid, tail launch", Variant::hybrid_tail_launch, trees);
      if (alive_ <= kMostLaunches)
        measure_variant("hybrid, a launch a window", Variant::hybrid_launches, trees);
    }
    if (!options_.coarse.empty()) measure_coarse(detector::acf::read_model(options_.coarse));
  }

 private:
  void show(const Line& line, const std::function<void()>& enqueue) {
    const cuda::GraphExec graph(cuda::capture(stream_, enqueue));
    print(line, bench::microseconds_of_replays(graph, stream_, options_.replays));
  }

  /// Measures work that can't be captured. Each call is enqueued behind our scan, so that the time
  /// in which the host enqueues the call doesn't count.
  void show_calls(const Line& line, const std::function<void()>& enqueue) {
    std::vector<float> times;
    for (int i = 0; i <= std::min(kMostCalls, options_.replays); ++i) {
      pyramid_.enqueue_our_scan(stream_);
      const float time = 1000 * bench::milliseconds_of(stream_, enqueue);
      if (i > 0) times.push_back(time);
    }
    print(line, times);
  }

  static void print(const Line& line, const std::vector<float>& times) {
    std::printf("%s\t%s\t%d\t%zu\t%zu\t%zu", line.who, line.part, line.trees, line.windows,
                line.alive, line.passed);
    bench::show_times(times);
  }

  void measure_ours() {
    detector::acf::CudaAcfOptions options;
    options.sizes = options_.sizes;
    options.score_threshold = 0;
    const auto detection =
        detector::acf::make_cuda_acf_detector(model_, test::layout_of(frame_), options)
            ->make_detection();
    const auto detect = [&] { detection->enqueue(device_frame_.descriptor(), stream_); };
    const auto channels = [&] { pyramid_.enqueue_channels(device_frame_.descriptor(), stream_); };
    const auto scan = [&] { pyramid_.enqueue_our_scan(stream_); };
    channels();
    scan();
    ours_ = pyramid_.found(stream_);
    const std::size_t windows = pyramid_.variants().windows();
    show({"ours", "total", 0, windows, 0, ours_.size()}, detect);
    show({"ours", "features"}, channels);
    show({"ours", "evaluation", 0, windows, 0, ours_.size()}, scan);
  }

  /// The published features exist only if the first scale is the picture itself.
  void measure_published_features() {
    const detector::acf::DeviceReal& first = pyramid_.tables().real.front();
    if (first.source != detector::acf::TileSource::as_it_is || first.of_half != 0 ||
        detector::acf::pixels_of(first.cells) != size_)
      return;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    const PublishedFeatures features({bytes, bytes_.size()}, size_, frame_.color);
    float* const channels = pyramid_.real_channels(0);
    const auto cells = [&] { pyramid_.enqueue_cells(stream_); };
    const char* const who = "features as published";
    features.enqueue_all(channels, stream_);
    for (const Step step : kSteps)
      show({who, name_of(step)}, [&] { features.enqueue(step, channels, stream_); });
    show({who, "cells"}, cells);
    show({who, "features"}, [&] {
      features.enqueue_all(channels, stream_);
      cells();
    });
  }

  void measure_variant(const char* who, Variant variant, int trees = 0) {
    const auto scan = [&] { pyramid_.enqueue_variant(variant, trees, stream_); };
    scan();
    const std::vector<detector::acf::SummedPlace> found = pyramid_.found(stream_);
    if (variant == Variant::hybrid_launches && !pyramid_.variants().launched_all(stream_)) {
      std::fprintf(stderr, "%s: the device has no room for all of %d trees\n", who, trees);
      return;
    }
    if (variant != Variant::stage_whole_groups && found != ours_)
      throw std::runtime_error(std::string(who) + ": other windows than our detector's");
    alive_ = trees > 0 ? pyramid_.variants().alive(stream_) : 0;
    const Line line{who, "evaluation", trees, pyramid_.variants().windows(), alive_, found.size()};
    const bool launches =
        variant == Variant::hybrid_launches || variant == Variant::hybrid_tail_launch;
    launches ? show_calls(line, scan) : show(line, scan);
  }

  void measure_coarse(const detector::acf::Model& coarse) {
    const CoarseScan scan(pyramid_.plan(), model_, coarse);
    const auto search = [&] { pyramid_.enqueue_coarse(scan, stream_); };
    search();
    const std::vector<detector::acf::SummedPlace> found = pyramid_.found(stream_);
    const std::size_t windows = pyramid_.variants().windows();
    const std::size_t left = scan.left(stream_);
    measure_on_host(coarse, left, found);
    show({"coarse and fine", "evaluation", 0, windows, left, found.size()}, search);
  }

  /// Measures the coarse and the fine detector in plain loops over all scales. Throws
  /// std::runtime_error if the loops find other windows than the device.
  void measure_on_host(const detector::acf::Model& coarse, std::size_t left,
                       const std::vector<detector::acf::SummedPlace>& expected) {
    const std::vector<float> cells = pyramid_.cells(stream_);
    const detector::acf::PyramidPlan& planes = pyramid_.tables().plan.pyramid;
    CoarseFineSearch host(model_, coarse, planes.stride, planes.plane);
    std::vector<std::vector<PassedWindow>> passed(pyramid_.tables().scales.size());
    const auto times_of =
        [&](const std::function<std::vector<PassedWindow>(const ScaleCells&)>& f) {
          std::vector<float> times;
          for (int i = 0; i <= std::min(kMostCalls, options_.replays); ++i) {
            const Clock::time_point begin = Clock::now();
            for (std::size_t scale = 0; scale < passed.size(); ++scale)
              passed[scale] = f(pyramid_.scale_cells(cells, scale));
            if (i > 0)
              times.push_back(1000 * static_cast<float>(in_milliseconds(Clock::now() - begin)));
          }
          return times;
        };
    const std::size_t windows = pyramid_.variants().windows();
    const std::vector<float> alone =
        times_of([&](const ScaleCells& of) { return host.search_fine(of); });
    print({"fine alone, plain loops on a core", "evaluation", 0, windows, 0, ours_.size()}, alone);
    const std::vector<float> both = times_of([&](const ScaleCells& of) { return host.search(of); });
    print(
        {"coarse and fine, plain loops on a core", "evaluation", 0, windows, left, expected.size()},
        both);
    if (pyramid_.in_picture(passed) != expected)
      throw std::runtime_error("coarse and fine: other windows than in plain loops");
  }

  Options options_;
  Size size_;
  detector::acf::Model model_;
  std::string bytes_;
  Frame frame_;
  cuda::Stream stream_;
  test::DescribedFrame device_frame_;
  PyramidOnDevice pyramid_;
  std::vector<detector::acf::SummedPlace> ours_;
  std::size_t alive_ = 0;
};

int bench(const std::vector<std::string>& words) {
  const Options options = parse(words);
  experiments::on_parts(options.parts, [&](const experiments::Place& place) {
    if (!place.words.empty())
      std::fprintf(stderr, "bench_acf_variants: all%s\n", place.words.c_str());
    Measurement(options).run();
  });
  return 0;
}

}  // namespace
}  // namespace facepipe::acf_variants

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_acf_variants", argc, argv,
                                          facepipe::acf_variants::bench);
}
