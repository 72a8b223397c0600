// Measures only the network, with as many simultaneous runs as in facepipe. The result is the CPU
// time of the whole process per frame; it contains no conversion of pictures and no decoding of
// heads.
//
//   bench_inference MODEL ENGINE PRECISION WIDTH HEIGHT [Google Benchmark's options]
//
// WIDTH and HEIGHT are those of the network's input, multiples of 32.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/machine.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/model.h"
#include "detector/options.h"

namespace facepipe::bench {
namespace {

detector::Precision precision_named(const std::string& text) {
  for (const detector::Precision value : {detector::Precision::f32, detector::Precision::f16,
                                          detector::Precision::bf16, detector::Precision::i8})
    if (to_string(value) == text) return value;
  throw std::runtime_error("unknown: " + text);
}

detector::Library library_named(const std::string& text) {
  for (const detector::NamedEngine& engine : detector::named_engines(DeviceKind::cpu))
    if (engine.name == text) return engine.library;
  throw std::runtime_error("unknown: " + text);
}

double process_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Runs {
 public:
  Runs(const std::string& model, const std::string& engine, const std::string& precision,
       Size network)
      : model_(model) {
    detector::EngineOptions options;
    options.precision = precision_named(precision);
    options.threads = usable_processors();
    options.requests = detector::DetectorOptions{}.requests;
    if (options.precision == detector::Precision::i8)
      options.ranges = std::make_shared<const detector::I8Ranges>(detector::find_i8_ranges(model_));
    engine_ = detector::make_engine(library_named(engine), model_, network, options);
    for (int i = 0; i < options.requests; ++i) {
      runs_.push_back(engine_->make_inference());
      // All pictures are suitable, because the network's work doesn't depend on them.
      std::uint8_t value = 0;
      for (std::uint8_t& sample : runs_.back()->input()) sample = value += 7;
    }
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }

  void once() {
    for (const auto& run : runs_) run->start();
    for (const auto& run : runs_) run->wait();
  }

 private:
  detector::Model model_;
  std::unique_ptr<detector::Engine> engine_;
  std::vector<std::unique_ptr<detector::Inference>> runs_;
};

void measure(benchmark::State& state, Runs& runs) {
  const double begin = process_cpu_s();
  for ([[maybe_unused]] auto iteration : state) runs.once();
  const double frames = static_cast<double>(state.iterations()) * static_cast<double>(runs.size());
  state.counters["cpu_per_frame"] = (process_cpu_s() - begin) / frames;
  state.counters["frames"] = benchmark::Counter(frames, benchmark::Counter::kIsRate);
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 6) {
    std::fprintf(stderr, "usage: bench_inference MODEL ENGINE PRECISION WIDTH HEIGHT\n");
    return 2;
  }
  try {
    facepipe::bench::Runs runs(argv[1], argv[2], argv[3], {std::atoi(argv[4]), std::atoi(argv[5])});
    runs.once();
    benchmark::RegisterBenchmark(
        "inference", [&runs](benchmark::State& state) { facepipe::bench::measure(state, runs); })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_inference: %s\n", failure.what());
    return 1;
  }
  return 0;
}
