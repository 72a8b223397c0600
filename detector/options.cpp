#include "detector/options.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {
namespace {

/// A row of the table of what goes together, independent of this build and this processor. A
/// device's preferred engine comes first, and so does an engine's preferred precision. f16 and bf16
/// are chosen for a user only if they are faster than f32. Both are as accurate as f32, as far as
/// 135 images can tell (bench/results/wider_ap_openvino_*.txt). i8 is not: it finds a few faces
/// that f32 misses, and misses a few that f32 finds (precision_agreement_*.txt there). So i8 is
/// taken only if it is named. A name stands for the same library and the same `fused` on every
/// device.
struct Pairing {
  std::string_view name;
  DeviceKind device;
  Library library;
  bool fused;  ///< counts only for Library::own
  Precision precision;

  [[nodiscard]] bool is(Library other, bool other_fused) const {
    return library == other && (library != Library::own || fused == other_fused);
  }
};
constexpr std::array kPairings{
    Pairing{"openvino", DeviceKind::cpu, Library::openvino, true, Precision::f16},
    Pairing{"openvino", DeviceKind::cpu, Library::openvino, true, Precision::bf16},
    Pairing{"openvino", DeviceKind::cpu, Library::openvino, true, Precision::f32},
    Pairing{"openvino", DeviceKind::cpu, Library::openvino, true, Precision::i8},
    Pairing{"opencv", DeviceKind::cpu, Library::opencv, true, Precision::f32},
    Pairing{"cascade", DeviceKind::cpu, Library::cascade, true, Precision::f32},
    Pairing{"acf", DeviceKind::cpu, Library::acf, true, Precision::f32},
    Pairing{"cuda", DeviceKind::cuda, Library::own, true, Precision::f16},
    Pairing{"cuda-plain", DeviceKind::cuda, Library::own, false, Precision::f16},
    Pairing{"cascade", DeviceKind::cuda, Library::cascade, true, Precision::f32},
    Pairing{"acf", DeviceKind::cuda, Library::acf, true, Precision::f32},
    Pairing{"opencv", DeviceKind::cuda, Library::opencv, true, Precision::f32},
    Pairing{"opencv", DeviceKind::cuda, Library::opencv, true, Precision::f16},
};

}  // namespace

std::vector<NamedEngine> named_engines(std::optional<DeviceKind> device) {
  std::array pairings = kPairings;
  std::ranges::sort(pairings, {},
                    [](const Pairing& pairing) { return std::pair(pairing.device, pairing.name); });
  std::vector<NamedEngine> engines;
  for (const Pairing& pairing : pairings) {
    const bool wanted = !device || *device == pairing.device;
    if (wanted && std::ranges::count(engines, pairing.name, &NamedEngine::name) == 0)
      engines.push_back({pairing.name, pairing.library, pairing.fused});
  }
  return engines;
}

std::string_view engine_name(Library library, bool fused) {
  const auto* const found = std::ranges::find_if(
      kPairings, [&](const Pairing& pairing) { return pairing.is(library, fused); });
  if (found == kPairings.end()) throw Error(ErrorKind::internal, "no engine uses this library");
  return found->name;
}

bool computes_networks(Library library) {
  return library != Library::cascade && library != Library::acf;
}

bool works_in_host_memory(DeviceKind device, Library library) {
  return device == DeviceKind::cuda && library == Library::opencv;
}

std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 4> kNames{"f32", "f16", "bf16", "i8"};
  return kNames[static_cast<std::size_t>(precision)];
}

EngineChoice choose_engine(const Device& device, const DetectorOptions& options) {
  return choose_engine(device, options, supported_engines(device.kind));
}

namespace {

/// Some engines are never chosen by "auto". An engine that computes no networks is named by the
/// model's file. An engine that works in host memory lets frames cross the bus; nobody would take a
/// CUDA device for that, except to compare.
bool is_taken_by_name_alone(const Pairing& pairing) {
  return !computes_networks(pairing.library) ||
         works_in_host_memory(pairing.device, pairing.library);
}

bool wanted(const Pairing& pairing, const DetectorOptions& options) {
  if (is_taken_by_name_alone(pairing) && options.library != pairing.library) return false;
  return pairing.is(options.library.value_or(pairing.library), options.fused) &&
         options.precision.value_or(pairing.precision) == pairing.precision;
}

const EngineSupport* find(std::span<const EngineSupport> built, Library library) {
  const auto found =
      std::find_if(built.begin(), built.end(),
                   [library](const EngineSupport& support) { return support.library == library; });
  return found == built.end() ? nullptr : &*found;
}

bool has(const EngineSupport& support, Precision precision) {
  return std::ranges::count(support.precisions, precision) > 0;
}

bool is_fast(const EngineSupport& support, Precision precision) {
  return std::ranges::count(support.fast, precision) > 0;
}

bool runs(std::span<const EngineSupport> built, const Pairing& pairing) {
  const EngineSupport* support = find(built, pairing.library);
  return support != nullptr && has(*support, pairing.precision);
}

/// True for a precision below f32 that nobody named, if it would only cost time or faces.
bool pointless(std::span<const EngineSupport> built, const Pairing& pairing,
               const DetectorOptions& options) {
  return pairing.precision != Precision::f32 && !options.precision &&
         !is_fast(*find(built, pairing.library), pairing.precision);
}

std::string named(const Device& device, const DetectorOptions& options) {
  std::string text = "device " + to_string(device);
  if (options.library)
    text += ", engine " + std::string(engine_name(*options.library, options.fused));
  if (options.precision) text += ", precision " + std::string(to_string(*options.precision));
  return text;
}

std::string why(std::span<const EngineSupport> built, const Pairing& chosen,
                const DetectorOptions& options) {
  if (options.library && options.precision) return {};
  std::string text =
      std::string(chosen.name) + ", " + std::string(to_string(chosen.precision)) + ": ";
  if (chosen.library == Library::cascade) return text + "the engine for cascades";
  if (chosen.library == Library::acf) return text + "the engine for channel features";
  if (works_in_host_memory(chosen.device, chosen.library))
    return text + "the precision of OpenCV's models";
  if (chosen.device == DeviceKind::cuda) return text + "the engine for CUDA devices";
  if (!options.library)
    text += find(built, Library::openvino) == nullptr ? "this build lacks OpenVINO"
                                                      : "the fastest engine of this build";
  if (options.precision) return text;
  if (!options.library) text += "; ";
  if (chosen.precision != Precision::f32)
    return text + "this processor computes in " + std::string(to_string(chosen.precision));
  if (chosen.library == Library::opencv) return text + "OpenCV has f32 only";
  return text + (has(*find(built, chosen.library), Precision::f16)
                     ? "this processor's f16 is slower than its f32"
                     : "this processor computes in neither f16 nor bf16");
}

}  // namespace

EngineChoice choose_engine(const Device& device, const DetectorOptions& options,
                           std::span<const EngineSupport> built) {
  const Pairing* missing = nullptr;
  for (const Pairing& pairing : kPairings) {
    if (pairing.device != device.kind || !wanted(pairing, options)) continue;
    if (runs(built, pairing) && !pointless(built, pairing, options))
      return {pairing.library, pairing.precision, why(built, pairing, options), pairing.fused};
    if (missing == nullptr) missing = &pairing;
  }
  if (missing == nullptr)
    throw Error(ErrorKind::usage, named(device, options) + ": these can't be combined");
  const std::string engine(missing->name);
  if (find(built, missing->library) == nullptr)
    throw Error(ErrorKind::device,
                named(device, options) + ": this build lacks the engine " + engine);
  throw Error(ErrorKind::device, named(device, options) + ": " + engine + " can't compute in " +
                                     std::string(to_string(missing->precision)) +
                                     " on this processor");
}

}  // namespace facepipe::detector
