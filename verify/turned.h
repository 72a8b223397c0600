// Finds faces that lie turned in the pixels, as where a video has lost the tag of its orientation:
// upright looks miss them.
#pragma once

#include <array>
#include <optional>
#include <stop_token>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/turned_faces.h"
#include "verify/looks.h"

namespace facepipe::verify {

/// All turns are looked at so often.
inline constexpr double kTurnedEvery_s = 1;

/// Looks at one picture a second in three turns, and in a turn that shows faces that upright looks
/// miss, at all pictures up to the next such look. Not thread-safe.
class TurnedSearch {
 public:
  /// The detectors outlive it.
  explicit TurnedSearch(detector::DetectorFactory& detectors);

  /// Returns detections over kFaceThatCounts in turned pictures, in pixels of the upright frame.
  /// @param time_s   rising
  /// @param upright  what was found without turning
  /// Errors: as Looks::find().
  [[nodiscard]] Detections find(const Frame& frame, double time_s, const Detections& upright,
                                const std::stop_token& stop);

  /// Counts what was found in the pictures that were looked at in all turns: turn_of_faces() says
  /// whether the video lies turned.
  [[nodiscard]] const detector::FacesByTurn& faces() const { return faces_; }

 private:
  struct Turn {
    Looks looks;
    bool wanted = false;
  };

  std::array<Turn, 3> turns_;  // by a quarter, upside down, by three quarters
  std::optional<double> last_s_;
  detector::FacesByTurn faces_{};
};

}  // namespace facepipe::verify
