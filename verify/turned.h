// Faces that lie turned in the pixels, as where a video has lost the tag of its orientation:
// upright looks miss them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/detections.h"
#include "core/frame.h"
#include "verify/looks.h"

namespace facepipe {

/// What a detection in a turned picture must score: as large as that false ones are rare.
inline constexpr float kTurnedScore = 0.5F;
/// How often all turns are looked at.
inline constexpr double kTurnedEvery_s = 1;

/// Of the pictures that were looked at in all turns.
struct TurnedFaces {
  std::int64_t pictures = 0;
  /// Those in which a turn shows several faces more, and over twice as many, as the upright one;
  /// by clockwise quarter turns of the picture.
  std::array<std::int64_t, 4> mostly{};

  /// The turn that most pictures want; none where all are best upright.
  [[nodiscard]] std::optional<int> turn() const;
};

/// Looks at one picture a second in three turns, and in a turn that shows faces that upright looks
/// miss, at all pictures up to the next such look. Not thread-safe.
class TurnedLooks {
 public:
  /// The detectors outlive it.
  explicit TurnedLooks(DetectorFactory& detectors);

  /// Detections of kTurnedScore in turned pictures, in pixels of the upright frame.
  /// @param time_s   rising
  /// @param upright  what was found without turning
  /// Errors: as Looks::find().
  [[nodiscard]] Detections find(const Frame& frame, double time_s, const Detections& upright,
                                const std::stop_token& stop);

  [[nodiscard]] const TurnedFaces& faces() const { return faces_; }

 private:
  struct Turn {
    Looks looks;
    bool wanted = false;
  };

  void count(std::size_t upright, const std::array<std::size_t, 4>& more);

  std::array<Turn, 3> turns_;  // by a quarter, upside down, by three quarters
  std::optional<double> last_s_;
  TurnedFaces faces_;
};

}  // namespace facepipe
