// Finds faces that are turned in the pixels, for example because a video has lost its orientation
// tag. Upright looks miss them.
#pragma once

#include <array>
#include <optional>
#include <stop_token>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/turned_faces.h"
#include "verify/looks.h"

namespace facepipe::verify {

/// All turns are looked at once in each interval of this length.
inline constexpr double kTurnedEvery_s = 1;

/// Looks at one picture a second in three turns. If a turn shows faces that upright looks miss, it
/// looks at all pictures in that turn until it looks at all three turns again. Not thread-safe.
class TurnedSearch {
 public:
  /// The detectors must outlive it.
  explicit TurnedSearch(detector::DetectorFactory& detectors);

  /// Returns the detections in turned pictures whose score is above kFaceThatCounts. Their boxes
  /// are in pixels of the upright frame.
  /// @param time_s   must increase from call to call
  /// @param upright  what was found in the upright frame
  /// Errors: as Looks::find().
  [[nodiscard]] Detections find(const Frame& frame, double time_s, const Detections& upright,
                                const std::stop_token& stop);

  /// Returns how many faces were found in each turn, in the pictures that were looked at in all
  /// turns. turn_of_faces() tells from this whether the video is turned.
  [[nodiscard]] const detector::FacesByTurn& faces() const { return faces_; }

 private:
  struct Turn {
    Looks looks;
    bool wanted = false;
  };

  std::array<Turn, 3> turns_;  // by a quarter, by a half, by three quarters
  std::optional<double> last_s_;
  detector::FacesByTurn faces_{};
};

}  // namespace facepipe::verify
