// What sets one family of detectors apart from another, for code that must not know which families
// there are.
#pragma once

#include <string_view>

namespace facepipe::detector {

/// The options that only some families follow. All follow --min-face and --max-face.
struct TakenOptions {
  bool detect_size = false;   ///< DetectorOptions::detect_size
  bool card = false;          ///< DetectorOptions::card
  bool scale_factor = false;  ///< DetectorOptions::scale_factor
  bool every_window = false;  ///< DetectorOptions::every_window
};

struct DetectorTraits {
  std::string_view name;    ///< as users read it in a sentence: "a network", "channel features"
  std::string_view plural;  ///< the name of several: "networks"
  bool finds_landmarks = false;
  /// It finds far fewer faces than the default model.
  bool misses_many_faces = false;
  TakenOptions takes{};

  /// Tells whether a verb behind the name stands in the plural.
  [[nodiscard]] constexpr bool is_plural() const { return name == plural; }
};

}  // namespace facepipe::detector
