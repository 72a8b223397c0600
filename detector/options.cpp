#include "detector/options.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/error.h"
#include "detector/cnn/cpu/engines.h"
#include "detector/engine_choice.h"

namespace facepipe {

std::string_view to_string(EngineKind engine) {
  constexpr std::array<std::string_view, 4> kNames{"opencv", "openvino", "cuda", "cuda-plain"};
  return kNames[static_cast<std::size_t>(engine)];
}

std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 3> kNames{"f32", "f16", "bf16"};
  return kNames[static_cast<std::size_t>(precision)];
}

EngineChoice choose_engine(const Device& device, const DetectorOptions& options) {
  return choose_engine(device, options, supported_engines(device.kind));
}

namespace {

/// What goes together, whatever this build and this processor have. The preferred engine of a
/// device comes first, and of an engine the preferred precision. bf16 is never chosen for a user:
/// it costs accuracy. f16 is chosen only where it is faster than f32.
struct Pairing {
  DeviceKind device;
  EngineKind engine;
  Precision precision;
  bool automatic;
};
constexpr std::array kPairings{
    Pairing{DeviceKind::cpu, EngineKind::openvino, Precision::f16, true},
    Pairing{DeviceKind::cpu, EngineKind::openvino, Precision::f32, true},
    Pairing{DeviceKind::cpu, EngineKind::openvino, Precision::bf16, false},
    Pairing{DeviceKind::cpu, EngineKind::opencv, Precision::f32, true},
    Pairing{DeviceKind::cuda, EngineKind::cuda, Precision::f16, true},
    Pairing{DeviceKind::cuda, EngineKind::cuda_plain, Precision::f16, true},
};

bool wanted(const Pairing& pairing, const DetectorOptions& options) {
  return (!options.engine || *options.engine == pairing.engine) &&
         (options.precision ? *options.precision == pairing.precision : pairing.automatic);
}

const EngineSupport* find(std::span<const EngineSupport> built, EngineKind engine) {
  const auto found =
      std::find_if(built.begin(), built.end(),
                   [engine](const EngineSupport& support) { return support.engine == engine; });
  return found == built.end() ? nullptr : &*found;
}

bool has(const EngineSupport& support, Precision precision) {
  return std::count(support.precisions.begin(), support.precisions.end(), precision) > 0;
}

bool runs(std::span<const EngineSupport> built, const Pairing& pairing) {
  const EngineSupport* support = find(built, pairing.engine);
  return support != nullptr && has(*support, pairing.precision);
}

/// True for f16 that nobody named, on a processor where it would only cost time.
bool pointless(std::span<const EngineSupport> built, const Pairing& pairing,
               const DetectorOptions& options) {
  return pairing.precision == Precision::f16 && !options.precision &&
         !find(built, pairing.engine)->fast_f16;
}

std::string named(const Device& device, const DetectorOptions& options) {
  std::string text = "device " + to_string(device);
  if (options.engine) text += ", engine " + std::string(to_string(*options.engine));
  if (options.precision) text += ", precision " + std::string(to_string(*options.precision));
  return text;
}

std::string why(std::span<const EngineSupport> built, const Pairing& chosen,
                const DetectorOptions& options) {
  if (options.engine && options.precision) return {};
  std::string text = std::string(to_string(chosen.engine)) + ", " +
                     std::string(to_string(chosen.precision)) + ": ";
  if (chosen.device == DeviceKind::cuda) return text + "what runs on a CUDA device";
  if (!options.engine)
    text += find(built, EngineKind::openvino) == nullptr ? "this build lacks OpenVINO"
                                                         : "the fastest engine of this build";
  if (options.precision) return text;
  if (!options.engine) text += "; ";
  if (chosen.precision == Precision::f16) return text + "this processor computes in f16";
  if (chosen.engine == EngineKind::opencv) return text + "OpenCV has f32 only";
  return text + (has(*find(built, chosen.engine), Precision::f16)
                     ? "this processor's f16 is slower than its f32"
                     : "this processor lacks f16 arithmetic");
}

}  // namespace

EngineChoice choose_engine(const Device& device, const DetectorOptions& options,
                           std::span<const EngineSupport> built) {
  const Pairing* missing = nullptr;
  for (const Pairing& pairing : kPairings) {
    if (pairing.device != device.kind || !wanted(pairing, options)) continue;
    if (runs(built, pairing) && !pointless(built, pairing, options))
      return {pairing.engine, pairing.precision, why(built, pairing, options)};
    if (missing == nullptr) missing = &pairing;
  }
  if (missing == nullptr)
    throw Error(ErrorKind::usage, named(device, options) + ": these don't go together");
  const std::string engine(to_string(missing->engine));
  if (find(built, missing->engine) == nullptr)
    throw Error(ErrorKind::device,
                named(device, options) + ": this build lacks the engine " + engine);
  throw Error(ErrorKind::device, named(device, options) + ": " + engine + " has no " +
                                     std::string(to_string(missing->precision)) +
                                     " on this processor");
}

}  // namespace facepipe
