// Writes the page of a review as one file, which needs no server.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "app/review/frame_search.h"
#include "app/review/review_facts.h"
#include "app/review/reviewed_tracks.h"
#include "core/files/output_names.h"

namespace facepipe::app {

/// The most pictures of whole frames in the file, spread over the video, and the most of frames in
/// which a track that gets a card of its own has its largest box.
inline constexpr int kMostSpreadFrames = 150;
inline constexpr int kMostTrackFrames = 150;
/// A suggestion that scores less gets one small picture; the others get four.
inline constexpr float kStrongSuggestion = 0.1F;

/// Says what the file shows.
struct ReviewFile {
  ReviewInput input;
  const VideoFacts& video;
  const ReviewedTracks& tracks;
  std::string edits;  ///< how browsers name the edit file that the page makes
};

/// Writes the file, which only its owner may read, because it shows faces that are to be hidden. It
/// contains the edit file, small pictures of all tracks, and pictures of frames. The memory doesn't
/// depend on the length of the video. Throws Stopped. Throws the errors of FrameSource and
/// OutputFile, and Error(input) if an id or a stamp has more than 53 bits, because browsers can't
/// hold it.
void write_review_file(const std::filesystem::path& target, ExistingTarget existing,
                       const ReviewFile& file, const std::stop_token& stop);

}  // namespace facepipe::app
