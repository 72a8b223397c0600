// Finds where a video that is cut into parts shows a new scene. There, nothing that is known of the
// faces before matters any more (track/follower.h), so another job can go on.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "pipeline/backend.h"
#include "pipeline/job_options.h"

namespace facepipe::pipeline {

/// A frame that begins a scene.
struct FoundScene {
  std::int64_t frames = 0;   ///< SceneAfterCut::frames
  std::int64_t packets = 0;  ///< packets behind the cut that the decoder needed for the frame
};

/// What the search behind a cut has found.
struct SearchedCut {
  std::optional<FoundScene> scene;  ///< the first scene behind the cut; nullopt if none was found
  double searched_s = 0;            ///< for so long behind the cut, no scene begins
};

/// Looks for the first scene that begins behind each cut and before the next cut, at most `limit_s`
/// behind the cut. A scene that begins with the first frame behind the cut doesn't count, because a
/// job that begins there doesn't see the picture before. Decodes the video from
/// each cut to the scene, and reads all its packets.
/// @param options  of a job that hides faces in the whole input
/// @param backend  of the CPU; it needs no model
/// @param cuts     PartJob::cuts
/// Errors: as plan_job(); Error(input) if the input can't be read to its end; Stopped.
[[nodiscard]] std::vector<SearchedCut> find_scenes(const JobOptions& options, Backend& backend,
                                                   const std::vector<std::int64_t>& cuts,
                                                   double limit_s, const std::stop_token& stop);

}  // namespace facepipe::pipeline
