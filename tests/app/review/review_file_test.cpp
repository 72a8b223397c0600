#include "app/review/review_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "tests/app/review/tracks_of_review.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using app::ReviewedTracks;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr fs::perms kOwnerOnly = fs::perms::owner_read | fs::perms::owner_write;

/// Writes pages about a clip of 10 frames, whose stamps are 0, 512, 1024 and so on.
class ReviewFiles : public testing::Test {
 protected:
  ReviewFiles() {
    ffmpeg("-f lavfi -i testsrc2=s=320x192:r=25 -frames:v 10 -c:v libx264 -pix_fmt yuv420p",
           clip());
    facts_ = app::FrameSearch({clip()}, {}).facts();
    file_ = three_tracks();
    file_.input.time_base = facts_.time_base;
    for (track::FileTrack& track : file_.tracks) {
      track.start_pts *= kStep;
      track.end_pts *= kStep;
      for (track::FileBox& box : track.boxes) box.pts *= kStep;
    }
  }
  [[nodiscard]] std::string clip() const { return folder_ / "clip.mp4"; }
  [[nodiscard]] fs::path page() const { return folder_ / "page.html"; }

  void write(ExistingTarget existing = ExistingTarget::refuse) const {
    const ReviewedTracks tracks(file_, facts_.last_pts);
    app::write_review_file(page(), existing, {{clip()}, facts_, tracks, "clip.edits.json"}, {});
  }
  /// Returns what stands between the first `begin` in the page and the next "</script>".
  [[nodiscard]] json data(const std::string& begin) const {
    const std::string text = read_file(page());
    const std::size_t from = text.find(begin);
    if (from == std::string::npos) return {};
    return json::parse(
        text.substr(from + begin.size(), text.find("</script>", from) - from - begin.size()));
  }

  static constexpr std::int64_t kStep = 512;
  TemporaryFolder folder_;
  app::VideoFacts facts_;
  track::TrackFile file_;
};

TEST_F(ReviewFiles, HoldTheEditFileAndARowForEachTrack) {
  write();
  const fs::path edits = folder_ / "edits.json";
  track::write_track_file(file_, edits, ExistingTarget::refuse);
  EXPECT_EQ(data("id=\"edit-file\">"), json::parse(read_file(edits)));
  const json facts = data("id=\"facts\">");
  EXPECT_EQ(facts["edits"], "clip.edits.json");
  EXPECT_EQ(facts["tracks"].size(), 3U);
}

TEST_F(ReviewFiles, HoldPicturesOfTracksAndFrames) {
  file_.tracks[1].score_max = app::kStrongSuggestion / 2;
  write();
  std::multiset<std::int64_t> ids;
  for (const json& entry : data("class=\"pictures\">")) {
    ids.insert(entry[0].get<std::int64_t>());
    EXPECT_THAT(entry[2].get<std::string>(), testing::StartsWith("/9j/"));  // a JPEG in base64
  }
  EXPECT_EQ(ids.count(0), 4U);
  EXPECT_EQ(ids.count(1), 1U);  // a weak suggestion
  EXPECT_EQ(ids.count(5), 4U);
  std::set<std::int64_t> stamps;
  for (const json& entry : data("class=\"frames\">"))
    EXPECT_TRUE(stamps.insert(entry[0].get<std::int64_t>()).second);
  EXPECT_TRUE(stamps.contains(0));
  EXPECT_TRUE(std::ranges::all_of(stamps, [](std::int64_t pts) { return pts % kStep == 0; }));
}

TEST_F(ReviewFiles, AreForTheirOwnerOnly) {
  write();
  EXPECT_EQ(fs::status(page()).permissions(), kOwnerOnly);
  fs::permissions(page(), kOwnerOnly | fs::perms::others_read | fs::perms::group_read);
  write(ExistingTarget::replace);
  EXPECT_EQ(fs::status(page()).permissions(), kOwnerOnly);
  expect_error(ErrorKind::output, "page.html: exists", [&] { write(); });
}

TEST_F(ReviewFiles, ShowHostileNamesAsText) {
  facts_.name = "</script><script>alert(1)</script>.mp4";
  write();
  EXPECT_EQ(data("id=\"facts\">")["name"], facts_.name);
  EXPECT_THAT(read_file(page()), Not(HasSubstr("<script>alert")));
}

TEST_F(ReviewFiles, RefuseWhatBrowsersCannotHold) {
  file_.tracks[2].id = std::numeric_limits<std::int64_t>::max();
  expect_error(ErrorKind::input, "too large for a page", [&] { write(); });
  EXPECT_FALSE(fs::exists(page()));
}

}  // namespace
}  // namespace facepipe::test
