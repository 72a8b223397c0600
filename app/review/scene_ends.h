// Finds where scenes end, from the tracks of an edit file.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "track/track_file.h"

namespace facepipe::app {

/// The fewest tracks that must end together at the end of a scene.
inline constexpr int kLeastTracksAtSceneEnd = 4;

/// Returns the stamps of frames after which another scene probably begins. An edit file doesn't
/// list the cuts, but the tracker ends all tracks at a cut. So a scene ends where at least
/// kLeastTracksAtSceneEnd tracks of the detector end together and no track of the detector goes on.
[[nodiscard]] std::set<std::int64_t> scene_ends(const std::vector<track::FileTrack>& tracks);

}  // namespace facepipe::app
