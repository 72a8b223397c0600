#include "app/review/review_pictures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using app::FrameChoice;
using app::FramePictures;

constexpr int kFrames = 30;
constexpr int kWide = 160;

/// Returns the mean luma of a JPEG, as the ffmpeg command decodes it.
int luma_of(const TemporaryFolder& folder, const std::string& jpeg) {
  const std::string file = folder.write("picture.jpg", jpeg);
  const std::string grey = folder / "grey.raw";
  ffmpeg("-i " + file + " -vf scale=1:1:flags=area,format=gray -f rawvideo", grey);
  return static_cast<unsigned char>(read_file(grey).at(0));
}

/// Returns the luma of a frame of the clip below in a JPEG, whose luma has the full range.
int expected_luma(int frame) { return (40 + 6 * frame - 16) * 255 / 219; }

/// The luma of frame n is 40 + 6 n, of the range from 16 to 235, so that each frame can be
/// recognised.
std::string make_clip(const TemporaryFolder& folder, const std::string& name,
                      const std::string& encoder) {
  const std::string clip = folder / name;
  ffmpeg("-f lavfi -i color=black:s=160x96:r=25,geq=lum='40+6*N':cb=128:cr=128 -frames:v 30 " +
             encoder,
         clip);
  return clip;
}

class PicturesOfClips : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(PicturesOfClips, AreThoseOfTheirStamps) {
  const TemporaryFolder folder;
  const auto& [name, encoder] = GetParam();
  FramePictures pictures({make_clip(folder, name, encoder)}, {});
  const app::VideoFacts& facts = pictures.facts();
  EXPECT_EQ(facts.size, (Size{160, 96}));
  const std::int64_t step =
      static_cast<std::int64_t>(facts.time_base.den) / facts.time_base.num / 25;
  for (const int frame : {17, 3, 4, 29, 0, 12, 11}) {
    const std::int64_t pts = facts.first_pts + frame * step;
    const app::FramePicture shown = pictures.get(pts, FrameChoice::shown, kWide);
    EXPECT_EQ(shown.pts, pts) << frame;
    EXPECT_NEAR(luma_of(folder, shown.jpeg), expected_luma(frame), 3) << frame;  // lossy codecs
    EXPECT_NEAR(facts.seconds_of(pts), frame / 25.0, 1e-6);
    const app::FramePicture key = pictures.get(pts, FrameChoice::key, kWide);
    EXPECT_LE(key.pts, pts) << frame;
  }
}

TEST_P(PicturesOfClips, AreFoundFromTheirNeighbours) {
  const TemporaryFolder folder;
  const auto& [name, encoder] = GetParam();
  FramePictures pictures({make_clip(folder, name, encoder)}, {});
  const app::VideoFacts& facts = pictures.facts();
  const std::int64_t step =
      static_cast<std::int64_t>(facts.time_base.den) / facts.time_base.num / 25;
  std::int64_t pts = facts.first_pts;
  for (int frame = 1; frame < kFrames; ++frame) {
    pts = pictures.get(pts, FrameChoice::after, kWide).pts;
    ASSERT_EQ(pts, facts.first_pts + frame * step);
  }
  EXPECT_EQ(pictures.get(pts, FrameChoice::after, kWide).pts, pts);  // the last frame
  pts = pictures.get(pts, FrameChoice::before, kWide).pts;
  EXPECT_EQ(pts, facts.first_pts + (kFrames - 2) * step);
  EXPECT_EQ(pictures.get(facts.first_pts, FrameChoice::before, kWide).pts, facts.first_pts);
  EXPECT_EQ(pictures.get(pts + step - 1, FrameChoice::shown, kWide).pts,
            pts);  // between two frames
}

INSTANTIATE_TEST_SUITE_P(
    Formats, PicturesOfClips,
    testing::Values(
        std::pair("h264.mp4", "-c:v libx264 -g 10 -bf 2 -pix_fmt yuv420p -qp 4"),
        std::pair("hevc10.mkv",
                  "-c:v libx265 -pix_fmt yuv420p10le -x265-params keyint=8:log-level=error:qp=4"),
        std::pair("mpeg2.ts", "-c:v mpeg2video -g 12 -bf 2 -q:v 2"),
        std::pair("late.mp4", "-c:v libx264 -g 10 -pix_fmt yuv420p -qp 4 -output_ts_offset 3")),
    [](const auto& clip) { return "Clip" + std::to_string(clip.index); });

TEST(PicturesOfFrames, AreReducedAndUpright) {
  const TemporaryFolder folder;
  const std::string clip = make_clip(folder, "a.mp4", "-c:v libx264 -pix_fmt yuv420p");
  mark_turned(clip);
  FramePictures pictures({clip}, {});
  EXPECT_EQ(pictures.facts().size, (Size{96, 160}));
  const std::string file = folder.write("p.jpg", pictures.get(0, FrameChoice::shown, 80).jpeg);
  const auto stream = streams_of(probe(file), "video").at(0);
  EXPECT_EQ(stream["width"], 48);
  EXPECT_EQ(stream["height"], 80);
}

/// The left half of the picture is white, and the right half is black.
TEST(PicturesOfBoxes, ShowTheBoxAndWhatIsAroundIt) {
  const TemporaryFolder folder;
  const std::string clip = folder / "halves.mp4";
  ffmpeg(
      "-f lavfi -i color=black:s=160x96:r=25,drawbox=0:0:80:96:white:fill -frames:v 5 -c:v libx264 "
      "-pix_fmt yuv420p -qp 4",
      clip);
  const std::int64_t tick = FramePictures({clip}, {}).facts().time_base.den / 25;
  const track::FileBox left{0, {10, 30, 40, 60}};
  const track::FileBox right{3 * tick, {110, 30, 140, 60}};
  const track::FileBox border{tick, {65, 33, 95, 63}};
  const track::FileBox corner{2 * tick, {-10, -10, 30, 30}};
  app::BoxPictures pictures({clip}, {left, right}, {});
  EXPECT_GT(luma_of(folder, pictures.get(left)), 245);
  EXPECT_LT(luma_of(folder, pictures.get(right)), 20);
  EXPECT_NEAR(luma_of(folder, pictures.get(border)), 128, 10);
  EXPECT_GT(luma_of(folder, pictures.get(corner)), 245);  // nothing outside of the picture is shown
  EXPECT_EQ(pictures.get(left), pictures.get(left));
}

}  // namespace
}  // namespace facepipe::test
