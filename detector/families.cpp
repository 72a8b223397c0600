#include "detector/families.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/error.h"
#include "detector/acf/family.h"
#include "detector/cascade/family.h"
#include "detector/cnn/family.h"
#include "detector/words.h"

namespace facepipe::detector {
namespace {

// The list is explicit, because a linker drops objects of a static library that only register
// themselves.
constexpr std::array<const Family*, 3> kFamilies{&kCnnFamily, &cascade::kFamily, &acf::kFamily};

/// Returns a message: the engine that the user named doesn't compute the family.
std::string wrong_engine(const Family& family, Library library, bool fused) {
  const std::string engine = "engine " + std::string(engine_name(library, fused));
  if (family.owns != nullptr) return engine + " can't compute " + std::string(family.traits.name);
  return engine + " computes only " + std::string(family_of(library).traits.plural);
}

void check_options(const Family& family, const DetectorOptions& options) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorKind::usage, "model " + options.model.string() + ": " + reason);
  };
  const TakenOptions& takes = family.traits.takes;
  if (options.library && !family.has(*options.library))
    refuse(wrong_engine(family, *options.library, options.fused));
  if (options.detect_size && !takes.detect_size)
    refuse("--detect-size doesn't work with " + std::string(family.traits.name) +
           "; a larger --min-face makes detection faster");
  if (options.looks && options.looks->scales != Looks{}.scales && !takes.detect_size)
    refuse("sizes in --looks work only with " + takers_of(&TakenOptions::detect_size));
  if (!options.card.empty() && !takes.card)
    refuse("--card works only with " + takers_of(&TakenOptions::card));
  if (options.scale_factor && !takes.scale_factor)
    refuse("--scale-factor works only with " + takers_of(&TakenOptions::scale_factor));
}

}  // namespace

bool Family::has(Library library) const {
  return std::ranges::any_of(engines, [&](const EngineRow& row) { return row.library == library; });
}

bool Family::has(Precision precision) const {
  return std::ranges::any_of(engines,
                             [&](const EngineRow& row) { return row.precision == precision; });
}

std::span<const Family* const> families() { return kFamilies; }

const Family& family_of(const std::filesystem::path& model) {
  const auto* const found = std::ranges::find_if(kFamilies, [&](const Family* family) {
    return family->owns != nullptr && family->owns(model);
  });
  return found == kFamilies.end() ? *kFamilies.front() : **found;
}

const Family& family_of(Library library) {
  const auto* const found =
      std::ranges::find_if(kFamilies, [&](const Family* family) { return family->has(library); });
  if (found == kFamilies.end()) throw Error(ErrorKind::internal, "no engine uses this library");
  return **found;
}

std::string model_files() {
  std::vector<std::string> files;
  for (const Family* family : kFamilies) files.push_back(family->files());
  return any_of(files);
}

std::string files_with(Precision precision) {
  std::vector<std::string> files;
  for (const Family* family : kFamilies)
    if (family->has(precision)) files.push_back(family->files());
  return any_of(files);
}

std::string takers_of(bool TakenOptions::*option) {
  std::vector<std::string> takers;
  for (const Family* family : kFamilies)
    if (family->traits.takes.*option) takers.emplace_back(family->traits.plural);
  return any_of(takers);
}

EngineChoice choose_engine(const Family& family, const Device& device, DetectorOptions options) {
  check_options(family, options);
  // "auto" chooses only among engines for networks. For other families, the file decides the
  // engine.
  if (family.owns != nullptr && !options.library) options.library = family.engines.front().library;
  return choose_engine(device, options);
}

std::vector<EngineSupport> supported_engines(DeviceKind device) {
#if FACEPIPE_CUDA
  constexpr bool kHasCuda = true;
#else
  constexpr bool kHasCuda = false;
#endif
  std::vector<EngineSupport> engines;
  if (device == DeviceKind::cuda && !kHasCuda) return engines;
  for (const Family* family : kFamilies)
    for (EngineSupport& support : family->supported(device)) engines.push_back(std::move(support));
  return engines;
}

}  // namespace facepipe::detector
