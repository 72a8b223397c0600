// These tests run the real program on a video whose pictures are turned by 90 degrees without a
// rotation tag. The video shows a part of the demo photo with about ten faces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/app/photo_clip.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class TurnedFacesOfAVideo : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("600:200"); }

  [[nodiscard]] std::string turned(const std::string& filter) const {
    std::string file = dir_ / "turned.mkv";
    ffmpeg("-i " + clip() + " -vf " + filter + " -c:v libx264 -preset ultrafast -qp 0 -c:a copy",
           file);
    return file;
  }
  [[nodiscard]] CommandResult hide(const std::string& input, const std::string& output,
                                   const Arguments& more = {}) const {
    return run_program(joined(
        {"hide", input, "-o", dir_ / output, "--overwrite", "--device", "cpu", "--codec", "ffv1"},
        more));
  }
  /// Returns the number of faces in all frames that a run's summary reports.
  static int faces_of(const CommandResult& result) {
    const std::string mark = " frames, ";
    const std::size_t at = result.err.find(mark);
    return at == std::string::npos ? -1 : std::stoi(result.err.substr(at + mark.size()));
  }
};

TEST_F(TurnedFacesOfAVideo, A4AreToldAndHiddenAndNeverPassForDone) {
  const CommandResult upright = hide(clip(), "upright.mkv");
  EXPECT_EQ(upright.exit_code, 0) << upright.err;
  EXPECT_THAT(upright.err, Not(HasSubstr("turned")));
  const int faces = faces_of(upright);
  ASSERT_GT(faces, 3 * kFrames);
  const struct {
    const char* filter;
    const char* angle;
    const char* help;
  } cases[] = {
      {"transpose=cclock", "turned 90 degrees clockwise", "-vf transpose=clock OUTPUT"},
      {"hflip,vflip", "turned 180 degrees", "-vf hflip,vflip OUTPUT"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.filter);
    const CommandResult result = hide(turned(each.filter), "out.mkv");
    EXPECT_EQ(result.exit_code, 7) << result.err;
    EXPECT_THAT(result.err, HasSubstr("most faces are turned in the pixels"));
    EXPECT_THAT(result.err, HasSubstr(each.angle));
    EXPECT_THAT(result.err, HasSubstr(each.help));
    EXPECT_GE(faces_of(result), faces * 9 / 10);
    EXPECT_TRUE(fs::exists(dir_ / "out.mkv"));
  }
}

TEST_F(TurnedFacesOfAVideo, A4AreAnErrorIfNothingMayBeLost) {
  const std::string input = turned("transpose=clock");
  const CommandResult result = hide(input, "out.mkv", {"--strict"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--strict: most faces are turned in the pixels"));
  EXPECT_THAT(result.err, HasSubstr("-vf transpose=cclock OUTPUT"));
  EXPECT_FALSE(fs::exists(dir_ / "out.mkv"));
}

}  // namespace
}  // namespace facepipe::test
