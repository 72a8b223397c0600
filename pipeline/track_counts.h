// Counts tracks by what is done with them.
#pragma once

#include <cstdint>

#include "core/time_spans.h"

namespace facepipe::pipeline {

/// A suggested track from this score on is likely to be a face. A person should look at it.
inline constexpr float kLikelyScore = 0.1F;

/// Counts the tracks of a job that hides or follows faces.
struct TrackCounts {
  std::int64_t hidden = 0;
  std::int64_t kept = 0;       ///< a person wants them to stay visible
  std::int64_t suggested = 0;  ///< too weak to be hidden, unless a person decides to hide them
  std::int64_t likely = 0;     ///< suggested tracks whose best score is at least kLikelyScore
  /// When the likely tracks can be seen. It is empty if the tracks come from a file.
  TimeSpans likely_at{1.0, 16};
};

}  // namespace facepipe::pipeline
