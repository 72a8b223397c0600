// An edit file that a run hides by: read, checked against the input, its styles made ready.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "overlay/hide.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// SHA-256 of an input, by which edit files go. Throws Stopped. Errors: Error(usage) for an input
/// that is no regular file, naming it and the `option` that needs it; as sha256_of_file().
[[nodiscard]] std::string sha256_of_input(const std::string& input, const std::string& option,
                                          const std::stop_token& stop);

/// Tracks' own styles have shape and share of the `look`. Throws Stopped. Errors: as
/// read_track_file() and sha256_of_input(); Error(input) for a style that no track may have, an
/// image among them: a file from anywhere names no other; Error(usage) where it was made for
/// another input, by its SHA-256.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> read_known_tracks(
    const std::filesystem::path& path, const std::string& input, const overlay::HideOptions& look,
    const std::stop_token& stop);

/// Tracks that were just found, as if they were read. Errors: Error(device) where they are too
/// many.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> as_known_tracks(
    const track::TrackFile& found, const std::string& input);

}  // namespace facepipe::app
