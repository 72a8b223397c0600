// The edit file by which a run hides faces. It is read, checked against the input, and its styles
// are made ready.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "overlay/hide.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns the SHA-256 of an input, by which edit files know it. Throws Stopped. Errors:
/// Error(usage) for an input that is no regular file, with its name and the `option` that needs the
/// SHA-256; as sha256_of_file().
[[nodiscard]] std::string sha256_of_input(const std::string& input, const std::string& option,
                                          const std::stop_token& stop);

/// Reads an edit file. A track's own style has the shape and the growth of `appearance`. Throws
/// Stopped. Errors: as read_track_file() and sha256_of_input(); Error(input) for a style that no
/// track may have, such as an image, because an edit file from anywhere must not name other files;
/// Error(usage) if the edit file has the SHA-256 of another input.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> read_known_tracks(
    const std::filesystem::path& path, const std::string& input,
    const overlay::HideOptions& appearance, const std::stop_token& stop);

/// Returns tracks that were just found as if they had been read. Errors: Error(device) if there
/// are too many.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> as_known_tracks(
    const track::TrackFile& found, const std::string& input);

}  // namespace facepipe::app
