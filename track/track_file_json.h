// Reads and writes the JSON of an edit file. It doesn't check the values.
#pragma once

#include <filesystem>
#include <string>

#include "track/track_file.h"

namespace facepipe::track {

/// Reads a file. Checks its members and their types, and limits the memory that they take. Errors:
/// Error(input), which names the file.
[[nodiscard]] TrackFile parse_track_file(const std::filesystem::path& path);

/// Returns whether `style` is UTF-8, because all strings of JSON must be UTF-8.
[[nodiscard]] bool can_be_written(const std::string& style);
/// Appends the text of a track and its boxes.
void append_track(std::string& text, const FileTrack& track);
/// Returns the text before the tracks.
[[nodiscard]] std::string track_file_head(const TrackFileInput& input);

}  // namespace facepipe::track
