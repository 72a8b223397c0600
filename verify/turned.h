// Finds faces whose pixels are turned, for example because a video has lost its orientation tag.
// Upright looks miss such faces.
#pragma once

#include <array>
#include <optional>
#include <stop_token>

#include "core/detections.h"
#include "core/frame.h"
#include "detector/turned_faces.h"
#include "verify/looks.h"

namespace facepipe::verify {

/// At intervals of this length, one picture is searched in all turns.
inline constexpr double kTurnedEvery_s = 1;

/// Searches one picture a second in three turns. If it finds, in one turn, faces that upright looks
/// miss, it searches every picture in that turn until it tries all three turns again. Not
/// thread-safe.
class TurnedSearch {
 public:
  /// The detectors must outlive this object.
  explicit TurnedSearch(detector::DetectorFactory& detectors);

  /// Returns the detections in turned pictures whose score is above kFaceThatCounts. Their boxes
  /// are in pixels of the upright frame.
  /// @param time_s   must increase from call to call
  /// @param upright  detections in the upright frame
  /// Errors: as Looks::find().
  [[nodiscard]] Detections find(const Frame& frame, double time_s, const Detections& upright,
                                const std::stop_token& stop);

  /// Returns how many faces were found in each turn, in the pictures that were searched in all
  /// turns. From this, turn_of_faces() decides whether the video is turned.
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
