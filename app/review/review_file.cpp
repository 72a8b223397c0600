#include "app/review/review_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/output/html/base64.h"
#include "app/review/review_page.h"
#include "app/review/review_pictures.h"
#include "app/review/track_rows.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "track/track_file_json.h"

namespace facepipe::app {
namespace {

constexpr mode_t kOthersAndGroup = 0077;
constexpr mode_t kOwnerOnly = 0600;
constexpr int kFrameSide = 640;
constexpr double kLeastFrameStep_s = 0.5;
/// Data are written in elements of about this size, because a browser reads each one as a whole.
constexpr std::size_t kBytesOfElement = std::size_t{8} << 20;
constexpr std::array<int, 4> kNumbers{0, 1, 3, 5};  ///< of box_for_picture()

/// Lets only the owner read the files that this process makes meanwhile.
class OwnerOnly {
 public:
  OwnerOnly() : before_(umask(kOthersAndGroup)) {}
  ~OwnerOnly() { umask(before_); }
  OwnerOnly(const OwnerOnly&) = delete;
  OwnerOnly& operator=(const OwnerOnly&) = delete;

 private:
  mode_t before_;
};

/// Lets only the owner read a file. In the sandbox, this needs an open file.
void keep_from_others(const std::filesystem::path& file) {
  const int opened = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return;
  static_cast<void>(fchmod(opened, kOwnerOnly));
  close(opened);
}

/// Returns JSON so that it can stand in a <script>: "<" occurs only in strings, where it may be
/// written otherwise.
std::string in_script(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<')
      text += "\\u003c";
    else
      text += letter;
  }
  return text;
}

std::string base64_of(const std::string& bytes) { return base64(std::as_bytes(std::span(bytes))); }

/// Writes a list, in one or more elements <script class="KIND">. They are data, which no browser
/// executes.
class DataList {
 public:
  DataList(OutputFile& file, const char* kind) : file_(file), kind_(kind) {}

  void add(const std::string& entry) {
    text_ += (text_.empty() ? "[" : ",") + entry;
    if (text_.size() >= kBytesOfElement) write();
  }
  void write() {
    if (text_.empty()) return;
    file_.write_text(std::string("<script type=\"application/json\" class=\"") + kind_ + "\">" +
                     text_ + "]</script>\n");
    text_.clear();
  }

 private:
  OutputFile& file_;
  const char* kind_;
  std::string text_;
};

bool is_strong(const ReviewedTrack& track) {
  return track.head.action != track::TrackAction::suggest ||
         track.head.score_max >= kStrongSuggestion;
}

/// Describes a small picture that the file needs: a box of a frame.
struct WantedPicture {
  std::int64_t id = 0;
  int number = 0;
  Box box;
};

/// Lists the small pictures that the file needs of one frame.
struct WantedFrame {
  std::vector<WantedPicture> pictures;
  bool whole = false;
};
using WantedFrames = std::map<std::int64_t, WantedFrame>;

/// Notes that at most `most` of these frames are shown as a whole.
void want_whole(WantedFrames& frames, const std::set<std::int64_t>& stamps, std::size_t most) {
  const std::size_t step = (stamps.size() + most - 1) / most;
  std::size_t i = 0;
  for (const std::int64_t pts : stamps)
    if (i++ % step == 0) frames[pts].whole = true;
}

WantedFrames wanted_frames(const ReviewFile& file) {
  WantedFrames frames;
  std::set<std::int64_t> of_tracks;
  for (const auto& [id, track] : file.tracks.all()) {
    const bool strong = is_strong(track);
    for (const int number : kNumbers) {
      if (number > 0 && (!strong || track.boxes->size() == 1)) break;
      const auto box = box_for_picture(track, number);
      frames[box->pts].pictures.push_back({id, number, box->box});
      if (strong && number == 0) of_tracks.insert(box->pts);
    }
  }
  want_whole(frames, of_tracks, kMostTrackFrames);
  const VideoFacts& video = file.video;
  const double length_s = video.seconds_of(video.last_pts) - video.seconds_of(video.first_pts);
  const double step_s = std::max(kLeastFrameStep_s, length_s / kMostSpreadFrames);
  const double ticks = static_cast<double>(video.time_base.den) / video.time_base.num;
  for (double at_s = 0; at_s <= length_s; at_s += step_s)
    frames[video.first_pts + static_cast<std::int64_t>(at_s * ticks)].whole = true;
  return frames;
}

/// Writes all pictures, in the order of their frames, so that the video is decoded once.
void write_pictures(OutputFile& output, const ReviewFile& file, const std::stop_token& stop) {
  FrameSearch search(file.input, stop);
  DataList small(output, "pictures");
  DataList whole(output, "frames");
  std::int64_t last_whole = 0;
  bool any_whole = false;
  for (const auto& [pts, wanted] : wanted_frames(file)) {
    if (stop.stop_requested()) throw Stopped();
    const Frame& frame = search.at(pts);
    if (!wanted.pictures.empty()) {
      const video::UprightPicture picture = picture_for_boxes(frame);
      for (const WantedPicture& each : wanted.pictures)
        small.add("[" + std::to_string(each.id) + "," + std::to_string(each.number) + ",\"" +
                  base64_of(picture_of_box(picture, each.box)) + "\"]");
    }
    // Two stamps may lead to the same frame.
    if (!wanted.whole || (any_whole && frame.pts == last_whole)) continue;
    whole.add("[" + std::to_string(frame.pts) + ",\"" +
              base64_of(picture_of_frame(frame, kFrameSide)) + "\"]");
    last_whole = frame.pts;
    any_whole = true;
  }
  small.write();
  whole.write();
}

void write_edit_file(OutputFile& output, const ReviewedTracks& tracks) {
  output.write_text("<script type=\"application/json\" id=\"edit-file\">" +
                    in_script(track::track_file_head(tracks.input())));
  bool first = true;
  for (const auto& [id, track] : tracks.all()) {
    std::string text = std::exchange(first, false) ? "" : ",";
    track::append_track(text, as_file_track(track));
    output.write_text(in_script(text));
  }
  output.write_text("]}</script>\n");
}

void expect_browsers_hold(const ReviewedTracks& tracks, const std::string& name) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto fits = [](std::int64_t number) { return number >= -kMost && number <= kMost; };
  for (const auto& [id, track] : tracks.all())
    if (!fits(id) || !fits(track.head.start_pts) || !fits(track.head.end_pts))
      throw Error(ErrorKind::input,
                  name + ": has an id or a stamp that is too large for a page in one file");
}

}  // namespace

void write_review_file(const std::filesystem::path& target, ExistingTarget existing,
                       const ReviewFile& file, const std::stop_token& stop) {
  expect_browsers_hold(file.tracks, file.video.name);
  const OwnerOnly guard;
  OutputFile output(target, existing, stop);
  output.expect_no_file();  // before the work that takes long
  output.write_text(review_file_beginning() + "<script type=\"application/json\" id=\"facts\">" +
                    in_script(tracks_text({file.video, "", file.edits, 0}, file.tracks)) +
                    "</script>\n");
  write_edit_file(output, file.tracks);
  write_pictures(output, file, stop);
  output.write_text(review_file_end());
  // The new file gets the permissions of the file that it replaces.
  if (existing == ExistingTarget::replace && output.lock() != nullptr) keep_from_others(target);
  output.commit();
}

}  // namespace facepipe::app
