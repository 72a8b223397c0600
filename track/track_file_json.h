// The JSON of an edit file, without what its values must be.
#pragma once

#include <filesystem>
#include <string>

#include "track/track_file.h"

namespace facepipe::track {

/// Reads types and members, and bounds what memory they take. Errors: Error(input), naming the
/// file.
[[nodiscard]] TrackFile parse_track_file(const std::filesystem::path& path);

/// Whether it is UTF-8, without which JSON has no strings.
[[nodiscard]] bool can_be_written(const std::string& style);
/// Appends a track's text, with its boxes.
void append_track(std::string& text, const FileTrack& track);
/// The text before the tracks.
[[nodiscard]] std::string track_file_head(const TrackFileInput& input);

}  // namespace facepipe::track
