// What sets one kind of detector apart from another, for code that must not know which kinds there
// are.
#pragma once

#include <string_view>

#include "detector/options.h"

namespace facepipe::detector {

struct DetectorTraits {
  /// As users read it in a sentence: "a cascade", "channel features". Networks have none, because
  /// no sentence tells of them.
  std::string_view name;
  /// It finds far fewer faces than the default model.
  bool misses_many_faces = false;
  bool is_plural = false;  ///< the name
  /// It can give all windows as candidates of score 1 (DetectorOptions::every_window).
  bool gives_every_window = false;
};

/// Returns the traits of what a library computes.
[[nodiscard]] DetectorTraits traits_of(Library library);

}  // namespace facepipe::detector
