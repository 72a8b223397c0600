// Measures OpenCV's dnn on a CUDA device. Inputs and outputs are in host memory, because dnn
// supports nothing else. The batch size is 1, and times are wall times, because the host takes
// part.
//
//   bench_opencv_cuda MODEL.onnx f32|f16 [--sizes WxH,...]
//
// Sizes are those of the frame. The network's sizes are the next multiples of 32. "network"
// measures from bytes of red, green and blue to the outputs; this includes the conversion to floats
// and the copies to the device and back. "frame" measures from an NV12 frame to candidates; colour
// conversion and head run on the CPU. Each is measured five times; a time is the mean of as many
// calls in a row as fit in a fifth of a second (3 to 100). The shown copies are those of one call.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/copies.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/cpu/opencv/opencv_version.h"
#include "detector/detector.h"
#include "detector/network_fit.h"
#include "tests/support/test_frame.h"

namespace facepipe::bench {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr Device kDevice{DeviceKind::cuda, 0};

struct Options {
  detector::DetectorOptions detector;
  std::vector<Size> sizes;
};

Options parse(const std::vector<std::string>& words) {
  const bool sizes = words.size() == 4 && words[2] == "--sizes";
  if (!sizes && words.size() != 2)
    throw std::runtime_error("usage: bench_opencv_cuda MODEL.onnx f32|f16 [--sizes WxH,...]");
  Options options;
  options.detector.model = words[0];
  options.detector.library = detector::Library::opencv;
  options.detector.precision =
      words[1] == "f16" ? detector::Precision::f16 : detector::Precision::f32;
  std::istringstream list(sizes ? words[3] : "1920x1080,3840x2160");
  for (std::string word; std::getline(list, word, ',');) options.sizes.push_back(size_of(word));
  return options;
}

float mean_of(int calls, const std::function<void()>& call) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return static_cast<float>(Interval{begin, Clock::now()}.milliseconds()) /
         static_cast<float>(calls);
}

/// Measures five groups of calls, and prints the times. A group has as many calls in a row as fit
/// in a fifth of a second (3 to 100).
void show(const std::string& what, const std::function<void()>& call) {
  constexpr float kMilliseconds = 200;
  for (int i = 0; i < 3; ++i) call();
  const int calls = std::clamp(static_cast<int>(kMilliseconds / mean_of(2, call)), 3, kInARow);
  std::vector<float> means;
  for (int group = 0; group < kGroups; ++group) means.push_back(mean_of(calls, call));
  means = sorted(means);
  std::printf("%-44s %.3f ms best, %.3f median\n", what.c_str(), static_cast<double>(means.front()),
              static_cast<double>(means[kGroups / 2]));
  std::fflush(stdout);
}

void show_copies(const std::string& what, const CopyCounter& copies) {
  std::printf("%-44s", (what + " copies").c_str());
  for (const CopyKind kind : {CopyKind::network_input, CopyKind::network_output}) {
    const CopyTotal total = copies.total(kind);
    std::printf(" %s %lld (%.2f MB)", std::string(name_of(kind)).c_str(),
                static_cast<long long>(total.calls), static_cast<double>(total.bytes) / 1e6);
  }
  std::printf("\n");
}

void bench_size(const detector::Model& model, Size size, const Options& options) {
  const auto factory = detector::make_detector_factory(kDevice, options.detector);
  const detector::Precision precision = factory->choice().precision;
  const detector::NetworkFit fit = detector::fit_network(size, {});
  const std::string name =
      model.data().name + " " + to_string(fit.network) + " " + std::string(to_string(precision));
  const auto inference =
      detector::make_engine(
          detector::Library::opencv, model, fit.network,
          {.precision = precision, .threads = 16, .requests = 1, .device = kDevice})
          ->make_inference();
  std::uint8_t value = 0;  // the network's work doesn't depend on the picture
  for (std::uint8_t& sample : inference->input()) sample = value += 7;
  show(name + " network", [&] {
    inference->start();
    inference->wait();
  });
  CopyCounter copies;
  inference->count_copies(copies);
  show_copies(name, copies);

  const Frame frame = test::make_noise_frame({kNv12, size}, 1);
  const auto detector = factory->detector(size);
  const auto request = detector->acquire({});
  show(name + " frame", [&] {
    request->prepare(frame);
    request->start();
    (void)request->collect();
  });
}

int bench(const std::vector<std::string>& words) {
  const Options options = parse(words);
  std::printf("OpenCV %s\n", detector::describe_opencv().c_str());
  const detector::Model model(options.detector.model);
  for (const Size size : options.sizes) bench_size(model, size, options);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_opencv_cuda", argc, argv, facepipe::bench::bench);
}
