// What a user chooses about detection, and the table of what goes together.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/geometry.h"

namespace facepipe::detector {

/// Whose code computes on a device.
enum class Library { opencv, openvino, own, cascade, acf };
enum class Precision { f32, f16, bf16, i8 };
[[nodiscard]] std::string_view to_string(Precision precision);

/// False for what computes its own kind of model alone, told by the model's file: cascades, channel
/// features.
[[nodiscard]] bool computes_networks(Library library);

/// Of an engine on a CUDA device that takes and gives host memory: what stands before and behind
/// the network runs on the CPU.
[[nodiscard]] bool works_in_host_memory(DeviceKind device, Library library);

/// What users call an engine.
struct NamedEngine {
  std::string_view name;  ///< "opencv", "cuda-plain"
  Library library = Library::opencv;
  bool fused = true;  ///< as DetectorOptions::fused
};

/// The engines of one device, or of all, whether built in or not: by device, then by name, each
/// name once.
[[nodiscard]] std::vector<NamedEngine> named_engines(std::optional<DeviceKind> device = {});

/// What users call it; `fused` counts for Library::own alone.
[[nodiscard]] std::string_view engine_name(Library library, bool fused = true);

/// nullopt in a field means "auto".
struct DetectorOptions {
  std::filesystem::path model;
  std::optional<Library> library;
  std::optional<Precision> precision;
  float score_threshold = 0.5F;     ///< candidates need score > this
  std::optional<Size> detect_size;  ///< network input before padding; default: the frame's size
  int threads = 0;                  ///< 0: as many as the machine has
  int requests = 2;                 ///< frames that the detector may hold at once, >= 1
  /// Of our own engine: several operators in a kernel, where the chip has one for them. False: an
  /// operator a kernel, which computes the same, slower, to compare with.
  bool fused = true;
  std::optional<double> scale_factor;  ///< of a cascade: from one level to the next, > 1
  /// Of a cascade, as cascade::LevelOptions; of channel features, as acf::SizeLimits.
  double min_face = 0;
  double max_face = 0;  ///< likewise
  /// Of a cascade: all windows are candidates, of score 1 and not clipped, for the rule
  /// of suppression that counts them itself.
  bool every_window = false;
};

/// What runs, after "auto" has been resolved.
struct EngineChoice {
  Library library = Library::opencv;
  Precision precision = Precision::f32;
  std::string why;    ///< one sentence; empty where the user named both
  bool fused = true;  ///< as DetectorOptions::fused

  [[nodiscard]] std::string_view name() const { return engine_name(library, fused); }
};

/// A library of this build and the precisions that it has on this processor, for one kind of
/// device.
struct EngineSupport {
  Library library = Library::opencv;
  std::vector<Precision> precisions;
  /// Of these, those that take less time than f32 and find the same faces.
  std::vector<Precision> fast;
};

/// Resolves engine and precision for a device. Errors: usage where device, engine and precision
/// don't go together by the table in options.cpp; device where this build or this processor lacks
/// what was named. Nothing named is ever replaced by something else.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options);

/// The same for a build and processor that have `built`, so that every case can be tested on any
/// machine.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options,
                                         std::span<const EngineSupport> built);

}  // namespace facepipe::detector
