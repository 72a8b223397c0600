#include "detector/options.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/families.h"
#include "detector/model_about.h"

namespace facepipe::detector {
namespace {

/// Returns the rows of all families. The rows say which devices, engines and precisions go
/// together.
std::span<const EngineRow> all_rows() {
  static const std::vector<EngineRow> kRows = [] {
    std::vector<EngineRow> rows;
    for (const Family* family : families())
      rows.insert(rows.end(), family->engines.begin(), family->engines.end());
    return rows;
  }();
  return kRows;
}

}  // namespace

std::vector<NamedEngine> named_engines(std::optional<DeviceKind> device) {
  std::vector<EngineRow> rows(all_rows().begin(), all_rows().end());
  std::ranges::sort(rows, {}, [](const EngineRow& row) { return std::pair(row.device, row.name); });
  std::vector<NamedEngine> engines;
  for (const EngineRow& row : rows) {
    const bool wanted = !device || *device == row.device;
    if (wanted && std::ranges::count(engines, row.name, &NamedEngine::name) == 0)
      engines.push_back({row.name, row.library, row.fused});
  }
  return engines;
}

std::string_view engine_name(Library library, bool fused) {
  const auto found = std::ranges::find_if(
      all_rows(), [&](const EngineRow& row) { return row.is(library, fused); });
  if (found == all_rows().end()) throw Error(ErrorKind::internal, "no engine uses this library");
  return found->name;
}

Looks looks_of(const DetectorOptions& options) {
  Looks looks = options.looks.value_or(Looks{});
  looks.mirrored = looks.mirrored || options.mirrored_too;
  looks.turned = options.mirrored_too && !options.detect_size;
  return looks;
}

DetectorOptions with_defaults(DetectorOptions options, const ModelAbout& about) {
  if (options.card_score == CardScore::taken && about.score) options.score_threshold = *about.score;
  options.card_score = CardScore::ignored;
  if (options.weak_score)
    options.score_threshold =
        std::min(options.score_threshold, about.scale().own(*options.weak_score));
  options.weak_score.reset();
  if (!options.looks) options.looks = about.looks;
  return options;
}

DetectorOptions with_one_look(DetectorOptions options, float usual_score) {
  options.score_threshold = kOnlyWeakOnes;
  options.weak_score = usual_score;
  options.card_score = CardScore::ignored;
  options.looks = Looks{};
  options.mirrored_too = false;
  return options;
}

bool computes_networks(Library library) { return family_of(library).owns == nullptr; }

bool works_in_host_memory(DeviceKind device, Library library) {
  return std::ranges::any_of(all_rows(), [&](const EngineRow& row) {
    return row.device == device && row.library == library && row.host_memory;
  });
}

std::string_view to_string(Precision precision) {
  constexpr std::array<std::string_view, 4> kNames{"f32", "f16", "bf16", "i8"};
  return kNames[static_cast<std::size_t>(precision)];
}

EngineChoice choose_engine(const Device& device, const DetectorOptions& options) {
  return choose_engine(device, options, supported_engines(device.kind));
}

namespace {

/// Returns whether "auto" never chooses the engine. There are two such kinds of engines. Engines
/// that don't compute networks are chosen by the model's file. Engines on a CUDA device that work
/// in host memory are useful only for comparisons, because frames must be copied between host and
/// device.
bool is_taken_by_name_alone(const EngineRow& row) {
  return !computes_networks(row.library) || row.host_memory;
}

bool wanted(const EngineRow& row, const DetectorOptions& options) {
  if (is_taken_by_name_alone(row) && options.library != row.library) return false;
  return row.is(options.library.value_or(row.library), options.fused) &&
         options.precision.value_or(row.precision) == row.precision;
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

bool runs(std::span<const EngineSupport> built, const EngineRow& row) {
  const EngineSupport* support = find(built, row.library);
  return support != nullptr && has(*support, row.precision);
}

/// Returns whether the row's precision is below f32, the user didn't name it, and it is slower than
/// f32 or finds other faces.
bool pointless(std::span<const EngineSupport> built, const EngineRow& row,
               const DetectorOptions& options) {
  return row.precision != Precision::f32 && !options.precision &&
         !is_fast(*find(built, row.library), row.precision);
}

std::string named(const Device& device, const DetectorOptions& options) {
  std::string text = "device " + to_string(device);
  if (options.library)
    text += ", engine " + std::string(engine_name(*options.library, options.fused));
  if (options.precision) text += ", precision " + std::string(to_string(*options.precision));
  return text;
}

std::string why(std::span<const EngineSupport> built, const EngineRow& chosen,
                const DetectorOptions& options) {
  if (options.library && options.precision) return {};
  std::string text =
      std::string(chosen.name) + ", " + std::string(to_string(chosen.precision)) + ": ";
  if (!computes_networks(chosen.library))
    return text + "the engine for " + std::string(family_of(chosen.library).traits.plural);
  if (chosen.host_memory) return text + "the precision of OpenCV's models";
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
  const EngineRow* missing = nullptr;
  for (const EngineRow& row : all_rows()) {
    if (row.device != device.kind || !wanted(row, options)) continue;
    if (runs(built, row) && !pointless(built, row, options))
      return {row.library, row.precision, why(built, row, options), row.fused};
    if (missing == nullptr) missing = &row;
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
