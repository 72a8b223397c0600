// The real program on a short clip with sound: a part of the demo photo, which moves; some ten
// faces.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

class PhotoClip : public testing::Test {
 protected:
  using Arguments = std::vector<std::string>;
  static constexpr int kFrames = 6;

  /// For a suite. `corner`: where the part begins in the photo, 1280 pixels wide, as FFmpeg's crop
  /// has it: "X:Y" by the frame's number n.
  static void make_clip(const std::string& corner) {
    folder_ = new TemporaryFolder;
    const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
    ffmpeg("-loop 1 -t 0.24 -r 25 -i " + photo +
               " -f lavfi -t 0.24 -i sine -vf scale=1280:-2,crop=640:384:" + corner +
               ",format=yuv420p -c:v libx264 -preset ultrafast -qp 0 -c:a aac -shortest",
           clip());
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string clip() { return *folder_ / "clip.mkv"; }

  static CommandResult run(const Arguments& more) {
    Arguments arguments{FACEPIPE_PROGRAM, "run", clip(), "-q", "--overwrite"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  }
  void expect_refusal(int code, const std::string& reason, Arguments arguments) {
    arguments.insert(arguments.end(), {"-o", dir_ / "out.mkv"});
    expect_refused(run(arguments), code, reason);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "out.mkv"));
  }
  /// What is detected, frame by frame.
  std::vector<nlohmann::json> frames_of(Arguments more) {
    more.insert(more.end(), {"--no-video", "--detections", dir_ / "d.jsonl"});
    const CommandResult result = run(more);
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
  inline static TemporaryFolder* folder_ = nullptr;
};

}  // namespace facepipe::test
