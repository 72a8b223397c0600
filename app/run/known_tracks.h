// Reads the edit file of the faces that a run must hide, checks that the file belongs to the input,
// and prepares the styles of its tracks.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "overlay/hide.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns the SHA-256 of an input, by which edit files identify inputs. Throws Stopped. Throws
/// Error(usage) if the input is not a regular file; the error names the input and the `option` that
/// needs the SHA-256. Throws the errors of sha256_of_file().
[[nodiscard]] std::string sha256_of_input(const std::string& input, const std::string& option,
                                          const std::stop_token& stop);

/// Reads an edit file. A track's own style doesn't change the shape and the growth: these always
/// come from `appearance`. Throws Stopped. Throws the errors of read_track_file() and
/// sha256_of_input(). Throws Error(input) for a style that no track may have, such as an image: an
/// edit file may come from anywhere, so it must not name other files. Throws Error(usage) if the
/// edit file has the SHA-256 of another input.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> read_known_tracks(
    const std::filesystem::path& path, const std::string& input,
    const overlay::HideOptions& appearance, const std::stop_token& stop);

/// Converts tracks that the first pass has found to KnownTracks, as if they were read from an edit
/// file. Throws Error(device) if there are too many tracks.
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> as_known_tracks(
    const track::TrackFile& found, const std::string& input);

}  // namespace facepipe::app
