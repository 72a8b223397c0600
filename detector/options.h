// What a user chooses about detection, and the table of what goes together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/device.h"
#include "core/geometry.h"

namespace facepipe {

/// cuda_plain computes what cuda does, one operator a kernel: slower, to compare with.
enum class EngineKind { opencv, openvino, cuda, cuda_plain };
enum class Precision { f32, f16, bf16 };
[[nodiscard]] std::string_view to_string(EngineKind engine);
[[nodiscard]] std::string_view to_string(Precision precision);

/// nullopt in a field means "auto".
struct DetectorOptions {
  std::filesystem::path model;
  std::optional<EngineKind> engine;
  std::optional<Precision> precision;
  float score_threshold = 0.5F;     ///< candidates need score > this
  std::optional<Size> detect_size;  ///< network input before padding; default: the frame's size
  int threads = 0;                  ///< 0: as many as the machine has
  int requests = 2;                 ///< frames that the detector may hold at once, >= 1
};

/// What runs, after "auto" has been resolved.
struct EngineChoice {
  EngineKind engine = EngineKind::opencv;
  Precision precision = Precision::f32;
  std::string why;  ///< one sentence; empty where the user named both
};

/// Resolves engine and precision for a device. Errors: usage where device, engine and precision
/// don't go together by the table in options.cpp; device where this build or this processor lacks
/// what was named. Nothing named is ever replaced by something else.
[[nodiscard]] EngineChoice choose_engine(const Device& device, const DetectorOptions& options);

}  // namespace facepipe
