// Runs the real program on a short clip with sound. The clip shows a moving part of the demo photo
// with about ten faces.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

class PhotoClip : public testing::Test {
 protected:
  static constexpr int kFrames = 6;

  /// Makes the clip for all tests of a suite. `corner` says where the shown part begins in the
  /// photo, which is scaled to a width of 1280 pixels. It has the form "X:Y" of FFmpeg's crop
  /// filter, and may contain the frame number n.
  static void make_clip(const std::string& corner) {
    folder_.emplace();
    const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
    ffmpeg("-loop 1 -t 0.24 -r 25 -i " + photo +
               " -f lavfi -t 0.24 -i sine -vf scale=1280:-2,crop=640:384:" + corner +
               ",format=yuv420p -c:v libx264 -preset ultrafast -qp 0 -c:a aac -shortest",
           clip());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string clip() { return *folder_ / "clip.mkv"; }

  static CommandResult run(const Arguments& more) {
    return run_program(joined({"run", clip(), "-q", "--overwrite"}, more));
  }
  void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
    expect_refused(run(joined(arguments, {"-o", dir_ / "out.mkv"})), code, reason);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "out.mkv"));
  }
  /// Runs the program without video. Returns a JSON object for each frame with the faces in it.
  std::vector<nlohmann::json> frames_of(const Arguments& more) {
    const CommandResult result =
        run(joined(more, {"--no-video", "--detections", dir_ / "d.jsonl"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<nlohmann::json> frames;
    std::istringstream lines(read_file(dir_ / "d.jsonl"));
    for (std::string line; std::getline(lines, line);)
      frames.push_back(nlohmann::json::parse(line));
    EXPECT_EQ(frames.size(), kFrames);
    return frames;
  }

  TemporaryFolder dir_;

 private:
  inline static std::optional<TemporaryFolder> folder_;
};

}  // namespace facepipe::test
