// Describes how families of detectors differ, for code that must not depend on a certain family.
#pragma once

#include <string_view>

namespace facepipe::detector {

/// Says which of these options a family accepts. All families accept --min-face and --max-face.
struct TakenOptions {
  bool detect_size = false;   ///< DetectorOptions::detect_size
  bool card = false;          ///< DetectorOptions::card
  bool scale_factor = false;  ///< DetectorOptions::scale_factor
  bool every_window = false;  ///< DetectorOptions::every_window
};

struct DetectorTraits {
  std::string_view name;    ///< as it appears in a sentence: "a network", "channel features"
  std::string_view plural;  ///< the plural of the name: "networks"
  bool finds_landmarks = false;
  /// The family finds far fewer faces than the default model.
  bool misses_many_faces = false;
  TakenOptions takes{};

  /// Returns whether a verb after the name must be in the plural.
  [[nodiscard]] constexpr bool is_plural() const { return name == plural; }
};

}  // namespace facepipe::detector
