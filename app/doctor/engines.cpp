#include "app/doctor/engines.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <string>
#include <utility>

#include "app/backends.h"
#include "app/doctor/cuda.h"
#include "app/failure.h"
#include "app/output/model_licence.h"
#include "core/error.h"
#include "detector/detector.h"
#include "detector/families.h"

namespace facepipe::app {
namespace {

constexpr std::array kPrecisions{detector::Precision::f32, detector::Precision::f16,
                                 detector::Precision::bf16, detector::Precision::i8};

/// Tries one engine in one precision, and prints a line about the result. Returns the result if the
/// engine works.
std::optional<SelfTestResult> print_engine(const detector::DetectorOptions& options, int timed,
                                           const Print& print) {
  SelfTestResult result;
  const auto failure = attempt({}, [&] {
    const detector::EngineChoice choice = detector::choose_engine({}, options);
    if (options.model.empty()) throw Error(ErrorKind::device, "not tried: no model");
    result = self_test(*detector::make_detector_factory({}, options), timed);
  });
  print_line(
      print,
      fmt::format("{} {}", detector::engine_name(*options.library), to_string(*options.precision)),
      failure ? "no: " + failure->message
              : fmt::format("works: {:.1f} ms for {}x{}", result.milliseconds,
                            result.network_size.width, result.network_size.height));
  if (failure) return std::nullopt;
  return result;
}

/// Compares one engine of a CUDA device with the CPU's result. Returns whether the engine works.
template <typename Run>
bool try_cuda_engine(const std::string& name, const SelfTestResult& on_cpu, Run run,
                     const Print& print) {
  bool works = false;
  const auto failure = attempt({}, [&] { works = print_cuda_engine(name, run(), on_cpu, print); });
  if (failure) print_line(print, name, "no: " + failure->message);
  return works;
}

/// Tries OpenCV's dnn module, if this module can compute the model.
void try_opencv_on(Device device, const detector::DetectorOptions& model,
                   const SelfTestResult& on_cpu, const Print& print) {
  if (!detector::family_of(model.model).has(detector::Library::opencv)) return;
  for (const detector::Precision precision : {detector::Precision::f32, detector::Precision::f16}) {
    detector::DetectorOptions options = model;
    options.library = detector::Library::opencv;
    options.precision = precision;
    const std::string name =
        fmt::format("{} {} {}", to_string(device), detector::engine_name(detector::Library::opencv),
                    to_string(precision));
    try_cuda_engine(
        name, on_cpu, [&] { return self_test(*detector::make_detector_factory(device, options)); },
        print);
  }
}

}  // namespace

void print_licence_and_choice(const detector::ModelInfo& model, const Print& print) {
  print_line(print, "licence", licence_text(model.about().licence));
  const detector::EngineChoice& choice = model.choice();
  print_line(print, "auto",
             fmt::format("{} {}: {}", choice.name(), to_string(choice.precision), choice.why));
}

std::optional<SelfTestResult> print_engines(const std::optional<detector::DetectorOptions>& model,
                                            int timed, const Print& print) {
  print("engines on cpu, tried with one generated picture\n");
  std::optional<SelfTestResult> first;
  const detector::DetectorOptions trial = model.value_or(detector::DetectorOptions{});
  const detector::Family& family = detector::family_of(trial.model);
  for (const detector::NamedEngine& engine : detector::named_engines(DeviceKind::cpu)) {
    if (!family.has(engine.library)) continue;
    for (const detector::Precision precision : kPrecisions) {
      detector::DetectorOptions options = trial;
      options.library = engine.library;
      options.precision = precision;
      std::optional<SelfTestResult> result = print_engine(options, timed, print);
      if (!first) first = std::move(result);
    }
  }
  return first;
}

bool print_cuda_engines(const CudaProbe& cuda,
                        const std::optional<detector::DetectorOptions>& model,
                        const std::optional<SelfTestResult>& on_cpu, const Print& print) {
  print("engine on cuda, the same picture compared with the cpu's result\n");
  bool any = false;
  for (int index = 0; index < static_cast<int>(cuda.devices.size()); ++index) {
    const Device device{DeviceKind::cuda, index};
    const std::string name = to_string(device) + " f16";
    const auto failure = attempt({}, [&] {
      std::string why;
      (void)resolve_device({false, device}, cuda, why);
      if (!model) throw Error(ErrorKind::device, "not tried: no model");
      if (!on_cpu) throw Error(ErrorKind::device, "not tried: no engine works on the cpu");
      const auto run = [&] { return self_test_on_cuda(device, *model); };
      any = try_cuda_engine(name, *on_cpu, run, print) || any;
      try_opencv_on(device, *model, *on_cpu, print);
    });
    if (failure) print_line(print, name, "no: " + failure->message);
  }
  return any;
}

}  // namespace facepipe::app
