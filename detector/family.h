// A family of detectors: those whose model files have one format, and which the same code computes.
//
// Each family describes itself in one entry, FOLDER/family.cpp. families.cpp lists the entries. All
// other code asks an entry, and names no family.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "detector/detector.h"
#include "detector/options.h"
#include "detector/traits.h"

namespace facepipe::detector {

/// An engine on one kind of device, with one of its precisions. Independent of this build and this
/// processor. A name stands for the same library and the same `fused` on every device.
struct EngineRow {
  std::string_view name;  ///< as users write it: "opencv", "cuda-plain"
  DeviceKind device = DeviceKind::cpu;
  Library library = Library::opencv;
  Precision precision = Precision::f32;
  bool fused = true;         ///< counts only for Library::native_cuda
  bool host_memory = false;  ///< see works_in_host_memory()

  [[nodiscard]] bool is(Library other, bool other_fused) const {
    return library == other && (library != Library::native_cuda || fused == other_fused);
  }
};

/// Model files that a package of the operating system brings along.
struct PackagedModels {
  std::filesystem::path folder;
  std::string_view package;         ///< for users who lack them: "Debian: opencv-data"
  std::vector<std::string> models;  ///< a line about each model that can be used
};

struct Family {
  std::string_view name;  ///< "cascade"
  DetectorTraits traits;
  /// All rows of one device stand in order of preference, and so do all precisions of one engine.
  /// A library belongs to one family.
  std::span<const EngineRow> engines;
  /// Names the files in a sentence: "a cascade in OpenCV's XML".
  std::string (*files)();
  /// Tells by a file's content whether it is a model of this family. Never throws for a file that
  /// can't be read, but returns false. Null in the family that every other file belongs to.
  bool (*owns)(const std::filesystem::path& model);
  /// Returns the libraries that a build for `device` has, with their precisions on this processor.
  std::vector<EngineSupport> (*supported)(DeviceKind device);
  /// Makes detectors that look at host memory. `choice` is one of the family's engines. Errors: as
  /// make_detector_factory().
  std::unique_ptr<DetectorFactory> (*make_factory)(const EngineChoice& choice, const Device& device,
                                                   const DetectorOptions& options);
  /// Looks for models that packages brought along. Null if no package has any.
  PackagedModels (*packaged)() = nullptr;

  [[nodiscard]] bool has(Library library) const;
  [[nodiscard]] bool has(Precision precision) const;
};

}  // namespace facepipe::detector
