// Describes a family of detectors. Their model files have one format, and the same code computes
// them.
//
// Each family describes itself in one entry, FOLDER/family.cpp. families.cpp lists the entries. All
// other code uses these entries and doesn't know the families.
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

/// Describes an engine on one kind of device, with one of its precisions. The row doesn't depend on
/// this build or on this processor. The same name means the same library and the same `fused` on
/// every device.
struct EngineRow {
  std::string_view name;  ///< as users write it: "opencv", "cuda-plain"
  DeviceKind device = DeviceKind::cpu;
  Library library = Library::opencv;
  Precision precision = Precision::f32;
  bool fused = true;         ///< used only for Library::native_cuda
  bool host_memory = false;  ///< see works_in_host_memory()

  [[nodiscard]] bool is(Library other, bool other_fused) const {
    return library == other && (library != Library::native_cuda || fused == other_fused);
  }
};

/// Describes model files that a package of the operating system installs.
struct PackagedModels {
  std::filesystem::path folder;
  std::string_view package;         ///< what users can install: "Debian: opencv-data"
  std::vector<std::string> models;  ///< a line about each model that can be used
};

struct Family {
  std::string_view name;  ///< "cascade"
  DetectorTraits traits;
  /// The rows of a device are in order of preference, and so are the precisions of an engine. A
  /// library belongs to only one family.
  std::span<const EngineRow> engines;
  /// Returns a description of the files for a sentence: "a cascade in OpenCV's XML".
  std::string (*files)();
  /// Returns whether a file is a model of this family, by its content. Returns false, and never
  /// throws, if the file can't be read. Null in the family that gets all files that no other family
  /// owns.
  bool (*owns)(const std::filesystem::path& model);
  /// Returns the libraries that this build has for a device, with their precisions on this
  /// processor.
  std::vector<EngineSupport> (*supported)(DeviceKind device);
  /// Makes detectors that find faces in host memory. `choice` must be an engine of the family.
  /// Throws the errors of make_detector_factory().
  std::unique_ptr<DetectorFactory> (*make_factory)(const EngineChoice& choice, const Device& device,
                                                   const DetectorOptions& options);
  /// Reads the model, and returns the names of the classes that it finds and doesn't ignore.
  /// DetectorOptions::classes doesn't matter. Errors: device for a file that can't be read.
  std::vector<std::string> (*classes)(const DetectorOptions& options);
  /// Looks for models that packages have installed. Null if there are no packages with such models.
  PackagedModels (*packaged)() = nullptr;

  [[nodiscard]] bool has(Library library) const;
  [[nodiscard]] bool has(Precision precision) const;
};

}  // namespace facepipe::detector
