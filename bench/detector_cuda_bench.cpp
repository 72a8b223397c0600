// Measures facepipe's CUDA engine, from a frame in device memory to candidates in device memory.
// The program replays one CUDA graph, and measures times with CUDA events.
//
//   bench_detector_cuda MODEL.onnx [--sizes WxH,...] [--steps] [--plain] [--once]
//
// Sizes are those of the frame. The network's sizes are the next multiples of 32.
//
// "single" measures 200 replays, each between two events. "in a row" measures five groups of 100
// replays, as detector_cuda.py measures PyTorch. "two in flight" does the same on two streams at
// once, each with its own frame and buffers, and shows the time of one frame. "network" measures
// the network without the head. It begins at the input tensor, or at the frame if the stem reads
// the frame itself. It ends at the network's outputs, or before the last layers if the head
// computes these itself.
//
// --steps measures each kernel of the network in a separate graph, twenty times in a row, so that
// data which fits in the cache is in the cache. --once processes only one frame, for a profiler.
// --plain uses one kernel for each operator, without fused kernels.
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/cuda/check.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/cnn_detector.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/support/test_frame.h"

namespace facepipe::bench {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr int kStepRepeats = 20;

struct Options {
  std::string model;
  std::vector<Size> sizes{{1920, 1080}, {3840, 2160}};
  bool steps = false;
  bool plain = false;
  bool once = false;
};

std::vector<Size> parse_sizes(const std::string& text) {
  std::vector<Size> sizes;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) sizes.push_back(size_of(word));
  return sizes;
}

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--steps")
      options.steps = true;
    else if (words[i] == "--plain")
      options.plain = true;
    else if (words[i] == "--once")
      options.once = true;
    else if (words[i] == "--sizes" && i + 1 < words.size())
      options.sizes = parse_sizes(words[++i]);
    else if (options.model.empty() && !words[i].starts_with("--"))
      options.model = words[i];
    else
      throw std::runtime_error(
          "usage: bench_detector_cuda MODEL.onnx [--sizes WxH,...] [--steps] [--plain] [--once]");
  }
  if (options.model.empty()) throw std::runtime_error("which model?");
  return options;
}

cuda::GraphExec captured(const cuda::Stream& stream, const std::function<void()>& enqueue) {
  return cuda::GraphExec(cuda::capture(stream, enqueue));
}

/// Detects faces in one of the two frames that are in flight at the same time.
struct Lane {
  Lane(const std::shared_ptr<const detector::CudaCnnDetector>& detector, const Frame& frame)
      : picture(frame, stream),
        detection(detector),
        graph(captured(stream, [&] { detection.enqueue(picture.descriptor(), stream); })) {}

  cuda::Stream stream;
  test::DescribedFrame picture;
  detector::CudaCnnDetection detection;
  cuda::GraphExec graph;
};

/// Returns the milliseconds per frame if each lane runs `replays` replays.
float time_lanes(std::array<Lane, 2>& lanes, int replays) {
  const cuda::Event begin(cuda::Event::Timing::on);
  const cuda::Event other_done;
  const cuda::Event end(cuda::Event::Timing::on);
  begin.record(lanes[0].stream);
  begin.hold_back(lanes[1].stream);
  for (int i = 0; i < replays; ++i)
    for (Lane& lane : lanes) lane.graph.launch(lane.stream);
  other_done.record(lanes[1].stream);
  other_done.hold_back(lanes[0].stream);
  end.record(lanes[0].stream);
  end.synchronize();
  return cuda::milliseconds_between(begin, end) / (2.0F * static_cast<float>(replays));
}

void show_two_in_flight(const std::string& name,
                        const std::shared_ptr<const detector::CudaCnnDetector>& detector,
                        const Frame& frame) {
  std::array<Lane, 2> lanes{Lane(detector, frame), Lane(detector, frame)};
  (void)time_lanes(lanes, 20);
  std::vector<float> means;
  for (int i = 0; i < kGroups; ++i) means.push_back(time_lanes(lanes, kInARow));
  means = sorted(means);
  std::printf("%-28s two in flight, of one frame: %.4f ms best, %.4f median\n", name.c_str(),
              static_cast<double>(means.front()), static_cast<double>(means[kGroups / 2]));
}

/// Returns the microseconds of one step, measured over kStepRepeats steps in a row.
double time_step(const cuda::Stream& stream, const std::function<void()>& enqueue) {
  const cuda::GraphExec graph = captured(stream, [&] {
    for (int i = 0; i < kStepRepeats; ++i) enqueue();
  });
  (void)time_replays(graph, stream, 1);
  std::vector<float> times;
  for (int i = 0; i < kGroups; ++i) times.push_back(time_replays(graph, stream, 1));
  return 1000.0 * static_cast<double>(sorted(times)[kGroups / 2]) / kStepRepeats;
}

void show_steps(detector::CudaCnnDetection& detection, const FrameDescriptor* frame,
                const cuda::Stream& stream) {
  double sum = 0;
  const auto row = [&](const std::string& op, const std::string& name, double time) {
    std::printf("  %8.2f us  %-22s %s\n", time, op.c_str(), name.c_str());
    sum += time;
  };
  row("preprocess", "", time_step(stream, [&] { detection.enqueue_preprocess(frame, stream); }));
  const detector::engine::Network& network = detection.detector().network();
  for (const detector::engine::Network::Step& step : network.steps())
    row(step.op, step.name, time_step(stream, [&] {
          network.enqueue_step(step, detection.activations(), stream, frame);
        }));
  row("head", "", time_step(stream, [&] { detection.enqueue_head(stream); }));
  std::printf("  %8.2f us  together\n", sum);
}

void bench_size(const detector::Model& model, Size size, const Options& options) {
  const Frame frame = test::make_noise_frame({kNv12, size}, 1);
  const auto detector = std::make_shared<detector::CudaCnnDetector>(
      model, detector::fit_network(size, {}), test::layout_of(frame),
      detector::CudaCnnOptions{.tile_file = detector::engine::default_tile_file(),
                               .fused = !options.plain});
  detector::CudaCnnDetection detection(detector);
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  if (options.once) {
    detection.enqueue(on_device.descriptor(), stream);
    stream.synchronize();
    return;
  }
  const std::string name = model.data().name + " " + to_string(detector->fit().network);
  std::printf("%s: weights %.1f MB, a frame's memory %.1f MB\n", name.c_str(),
              static_cast<double>(detector->shared_bytes()) / 1e6,
              static_cast<double>(detector->detection_bytes()) / 1e6);
  const detector::PlanReport& plan = detector->plan();
  std::printf("%s: planned in %.0f ms, tiles of %d operators tried, of %d remembered\n",
              name.c_str(), plan.milliseconds, plan.tried, plan.remembered);
  show_replays(name, captured(stream, [&] { detection.enqueue(on_device.descriptor(), stream); }),
               stream);
  show_two_in_flight(name, detector, frame);
  show_replays(name + " network",
               captured(stream, [&] { detection.enqueue_network(on_device.descriptor(), stream); }),
               stream);
  if (options.steps) show_steps(detection, on_device.descriptor(), stream);
}

void show_device() {
  cudaDeviceProp properties{};
  FACEPIPE_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  int clock = 0;
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  std::printf("%s, %d multiprocessors, %d MHz\n", properties.name, properties.multiProcessorCount,
              clock / 1000);
}

int bench(const std::vector<std::string>& words) {
  const Options options = parse(words);
  show_device();
  const detector::Model model(options.model);
  for (const Size size : options.sizes) bench_size(model, size, options);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_detector_cuda", argc, argv,
                                          facepipe::bench::bench);
}
