// Reads the edit file of the faces that a run must hide, checks that the file belongs to the input,
// and prepares the styles of its tracks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "overlay/hide.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Returns the SHA-256 of an input, by which edit files identify inputs. Throws Stopped. Throws
/// Error(usage) if the input is not a regular file; the error names the input and the `option` that
/// needs the SHA-256. Throws the errors of sha256_of_file().
[[nodiscard]] std::string sha256_of_input(const std::string& input, const std::string& option,
                                          const std::stop_token& stop);

/// Says how the tracks of an edit file are hidden.
struct TracksAppearance {
  const overlay::HideOptions& usual;
  bool own_growth = true;  ///< FileTrack::grow counts; false: the growth of `usual` replaces it
};

/// Says whether the hash of the input is computed, to check that the edit file is the input's. A
/// job that makes a part leaves that to the job that has split the input.
enum class InputCheck : std::uint8_t { whole, none };

/// Reads an edit file. A track's own style doesn't change the shape and the growth: the shape
/// always comes from `appearance.usual`, and so does the growth unless the track has its own.
/// Throws Stopped. Throws the errors of read_track_file() and sha256_of_input(). Throws
/// Error(input) for a style that no track may have, such as an image: an edit file may come from
/// anywhere, so it must not name other files. Throws Error(usage) if the edit file has the SHA-256
/// of another input. Leaves KnownTracks::sha256 empty.
[[nodiscard]] std::shared_ptr<pipeline::KnownTracks> read_known_tracks(
    const std::filesystem::path& path, const std::string& input, const TracksAppearance& appearance,
    const std::stop_token& stop, InputCheck check = InputCheck::whole);

/// Returns the classes of a file's tracks, each name and model once, in the order of the tracks.
[[nodiscard]] std::vector<track::TrackClass> classes_in(const track::TrackFile& file);

/// Converts tracks that the first pass has found to KnownTracks, as if they were read from an edit
/// file. Throws Error(device) if there are too many tracks.
/// @param classes  HideJob::classes of the job that has found them
[[nodiscard]] std::shared_ptr<const pipeline::KnownTracks> as_known_tracks(
    const track::TrackFile& found, const std::string& input,
    const std::vector<track::TrackClass>& classes);

}  // namespace facepipe::app
