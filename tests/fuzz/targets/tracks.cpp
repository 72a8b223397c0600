// Edit files: a file that is accepted is written and read again the same.
#include <cmath>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"
#include "track/track_file.h"

namespace facepipe::fuzz {
namespace {

/// Asks for the boxes of each track at its ends and between them.
void look_up(const track::TrackFile& file) {
  for (const track::FileTrack& track : file.tracks) {
    const std::int64_t middle = track.start_pts / 2 + track.end_pts / 2;
    for (const std::int64_t pts : {track.start_pts, middle, track.end_pts}) {
      const auto box = box_at(track, pts);
      require(!box || (std::isfinite(box->x1) && std::isfinite(box->y1) && std::isfinite(box->x2) &&
                       std::isfinite(box->y2) && box->x1 < box->x2 && box->y1 < box->y2),
              "a box is empty or not finite");
    }
    static_cast<void>(hidden_at(file, track.start_pts));
  }
}

}  // namespace

void fuzz_tracks(Bytes input) {
  static const MemoryFile file;
  static const test::TemporaryFolder folder;
  file.hold(text_of(input));
  const auto read = parsed(ErrorKind::input, [&] { return track::read_track_file(file.path()); });
  if (!read) return;
  require(reason_against(*read).empty(), "an invalid file is accepted");
  const auto written = folder / "tracks.json";
  write_track_file(*read, written, ExistingTarget::replace);
  require(track::read_track_file(written) == *read, "the file is written otherwise than read");
  look_up(*read);
}

}  // namespace facepipe::fuzz
