// Runs `verify` of the built program on two clips. One shows a part of the demo photo, and the
// other is black.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "core/geometry.h"
#include "tests/app/program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

/// The suite is skipped if ./dev setup hasn't fetched the photo and the model.
class VerifyClips : public testing::Test {
 protected:
  struct Clips {
    std::string extension;  ///< extension of the clips "a" and "black"
    Size size;
    std::string corner;    ///< "X:Y": where the shown part begins in the photo, which is 1600
                           ///< pixels wide
    std::string encoding;  ///< ffmpeg's options for the output
  };

  /// Makes both clips. The suite's SetUpTestSuite() calls it.
  static void make_clips(const Clips& clips) {
    const std::string photo = FACEPIPE_SOURCE_DIR "/data/fetched/demo/city.jpg";
    if (!std::filesystem::exists(photo) || !std::filesystem::exists(kModel)) return;
    folder_.emplace();
    const std::string width = std::to_string(clips.size.width);
    const std::string height = std::to_string(clips.size.height);
    ffmpeg("-loop 1 -i " + photo + " -vf scale=1600:-2,crop=" + width + ":" + height + ":" +
               clips.corner + " " + clips.encoding,
           file("a" + clips.extension));
    ffmpeg("-f lavfi -i color=black:s=" + width + "x" + height + ":r=25 " + clips.encoding,
           file("black" + clips.extension));
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (!folder_) GTEST_SKIP() << "needs ./dev setup";
  }

  static std::string file(const std::string& name) { return *folder_ / name; }

  static CommandResult verify(const Arguments& more) {
    return run_program(joined({"verify", "--model", kModel}, more));
  }

  static constexpr const char* kModel = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  static inline std::optional<TemporaryFolder> folder_;
};

}  // namespace facepipe::test
