// These tests read frames one by one. They also check how verify reads files: their hashes and grey
// pictures.
#include "video/read/frame_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/files/sha256.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "video/write/grey_png.h"

namespace facepipe::video {
namespace {

using test::TemporaryFolder;

/// Returns the times of all frames, in milliseconds.
std::vector<long> times_of(FrameSource& source) {
  std::vector<long> times;
  while (const std::optional<DecodedFrame> decoded = source.next())
    times.push_back(std::lround(1000 * source.seconds(decoded->frame)));
  return times;
}

TEST(FrameSource, GivesEveryFrameInItsOrder) {
  const TemporaryFolder dir;
  const std::string clip = dir / "a.mp4";
  // The clip has B pictures, so that frames wait in the decoder. It also has sound, which isn't
  // needed.
  test::ffmpeg(
      "-f lavfi -i testsrc2=s=96x64:r=25 -f lavfi -i sine -t 0.4 -c:v libx264 -bf 3 -c:a aac",
      clip);
  Notices notices(clip);
  FrameSource source(clip, {}, notices, {});
  EXPECT_EQ(source.upright(), (Size{96, 64}));
  EXPECT_EQ(times_of(source), (std::vector<long>{0, 40, 80, 120, 160, 200, 240, 280, 320, 360}));
  EXPECT_TRUE(source.ledger().intact());
  EXPECT_EQ(source.ledger().decoded, 10);
  EXPECT_FALSE(source.next());
}

TEST(FrameSource, TellsOfAFileThatEndsEarly) {
  const TemporaryFolder dir;
  const std::string clip = dir / "a.avi";
  test::ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 10 -c:v mjpeg", clip);
  const std::string bytes = test::read_file(clip);
  const std::string cut = dir.write("cut.avi", bytes.substr(0, bytes.size() / 2));
  Notices notices(cut);
  FrameSource source(cut, {}, notices, {});
  EXPECT_LT(times_of(source).size(), 10U);
  EXPECT_FALSE(source.ledger().intact());
}

TEST(FrameSource, RefusesWhatIsNoVideo) {
  const TemporaryFolder dir;
  const std::string text = dir.write("a.mp4", "this is not a video");
  Notices notices(text);
  EXPECT_THROW(FrameSource(text, {}, notices, {}), Error);
  const std::string clip = dir / "b.mkv";
  test::ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25 -frames:v 3 -c:v ffv1", clip);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(FrameSource(clip, {}, notices, stop.get_token()), Stopped);
  EXPECT_THROW(FrameSource(clip, {References::refuse, 96 * 64 - 1, 1}, notices, {}), Error);
}

TEST(FileHash, IsTheSystemsOwn) {
  const TemporaryFolder dir;
  const std::string empty = dir.write("empty", "");
  const std::string large = dir.write("large", std::string(3'000'001, 'x'));
  for (const std::string& file : {empty, large})
    EXPECT_EQ(sha256_of_file(file, {}), test::run_command({"sha256sum", file}).out.substr(0, 64));
  EXPECT_THROW(static_cast<void>(sha256_of_file(dir.path(), {})), Error);
}

TEST(GreyPng, DecodesToItsSamples) {
  const TemporaryFolder dir;
  std::vector<std::uint8_t> samples;
  for (int i = 0; i < 7 * 5; ++i) samples.push_back(static_cast<std::uint8_t>(7 * i));
  const std::vector<std::byte> png = grey_png(samples, {7, 5});
  std::string bytes;
  for (const std::byte byte : png) bytes.push_back(static_cast<char>(byte));
  EXPECT_EQ(test::decoded_pictures(dir.write("a.png", bytes)),
            std::string(samples.begin(), samples.end()));
  EXPECT_THROW(static_cast<void>(grey_png(samples, {7, 6})), Error);
  EXPECT_THROW(static_cast<void>(grey_png({}, {0, 0})), Error);
}

}  // namespace
}  // namespace facepipe::video
