// Finds suggestions that a hidden track covers. A person need not look at them: what they show is
// hidden anyway.
#pragma once

#include <cstdint>
#include <map>

#include "app/review/reviewed_tracks.h"

namespace facepipe::app {

/// Returns {id of a suggestion: id of a track with the action `hide` that covers it}. A track
/// covers a suggestion if, at the stamp of each of the suggestion's boxes, it has a box that
/// contains at least 95 % of the suggestion's box. Only tracks that the detector has found count.
[[nodiscard]] std::map<std::int64_t, std::int64_t> covering_tracks(
    const std::map<std::int64_t, ReviewedTrack>& tracks);

}  // namespace facepipe::app
