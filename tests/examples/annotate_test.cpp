// These tests run the example that annotates a video with the library's classes. The program uses
// the same classes in another way, and the example must write the same results as the program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/photo_clip.h"
#include "tests/support/clips.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kModel = FACEPIPE_SOURCE_DIR "/data/acf_face.json";

CommandResult example(const Arguments& words) {
  return run_command(joined({FACEPIPE_EXAMPLE_ANNOTATE}, words));
}

class AnnotateExample : public PhotoClip {
 protected:
  static void SetUpTestSuite() { make_clip("200+n*4:100"); }
};

TEST_F(AnnotateExample, WritesWhatTheProgramWrites) {
  const std::string by_example = dir_ / "example.mkv";
  const CommandResult result = example({clip(), by_example, kModel});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string by_program = dir_ / "program.mkv";
  ASSERT_EQ(run({"-o", by_program, "--model", kModel, "--draw", "boxes,scores"}).exit_code, 0);
  EXPECT_EQ(video_stamps(by_example).size(), kFrames);
  EXPECT_EQ(video_stamps(by_example), video_stamps(by_program));
  EXPECT_EQ(streams_of(probe(by_example), "audio").size(), 1U);
  EXPECT_TRUE(decoded_pictures(by_example) == decoded_pictures(by_program));
  ASSERT_EQ(run({"-o", dir_ / "plain.mkv", "--model", kModel, "--draw", "none"}).exit_code, 0);
  EXPECT_FALSE(decoded_pictures(by_example) == decoded_pictures(dir_ / "plain.mkv"))
      << "faces are drawn";
}

TEST_F(AnnotateExample, MakesTurnedPicturesUpright) {
  const std::string turned = dir_ / "turned.mp4";
  ffmpeg("-i " + clip() + " -c copy", turned);
  mark_turned(turned);
  const CommandResult result = example({turned, dir_ / "out.mp4", kModel});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json video = streams_of(probe(dir_ / "out.mp4"), "video").at(0);
  EXPECT_EQ(video["width"], 384);
  EXPECT_EQ(video["height"], 640);
  EXPECT_FALSE(video.contains("side_data_list")) << "no player turns them again";
}

TEST_F(AnnotateExample, SaysInALineWhatFails) {
  const auto expect_failure = [](const Arguments& words, const std::string& reason) {
    const CommandResult result = example(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("example_annotate: "));
    EXPECT_THAT(result.err, HasSubstr(reason));
  };
  expect_failure({}, "usage: example_annotate INPUT OUTPUT MODEL");
  expect_failure({dir_ / "missing.mp4", dir_ / "out.mp4", kModel}, "missing.mp4");
  expect_failure({clip(), dir_ / "out.mp4", dir_ / "missing.onnx"}, "missing.onnx");
  EXPECT_THAT(dir_.names(), IsEmpty());
}

}  // namespace
}  // namespace facepipe::test
