// These tests check that standard error contains only lines of the program itself, even if
// libraries write messages. No line may contain the folder in which the program was built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::Arguments;
using test::CommandResult;
using test::joined;

constexpr const char* kCannotHideSys =
    "this machine lets us hide no /sys (unshare --map-root-user --mount)";

class Quiet : public testing::Test {
 protected:
  void SetUp() override {
    test::ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 3 -c:v ffv1", folder_ / "a.mkv");
  }
  [[nodiscard]] Arguments run_words(const Arguments& more) const {
    return test::program(joined({"run", folder_ / "a.mkv", "-o", folder_ / "b.mkv", "-q"}, more));
  }
  test::TemporaryFolder folder_;
};

/// Returns a command that runs `words` in a new mount namespace, in which /sys is empty.
Arguments without_sys(const Arguments& words) {
  return joined({"unshare", "--map-root-user", "--mount", "sh", "-c",
                 "mount -t tmpfs none /sys && exec \"$@\"", "sh"},
                words);
}

bool can_hide_sys() { return test::run_command(without_sys({"true"})).exit_code == 0; }

TEST_F(Quiet, WhereThereIsNoSys) {
  if (!can_hide_sys()) GTEST_SKIP() << kCannotHideSys;
  const CommandResult run = test::run_command(without_sys(run_words({})));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  const CommandResult refused =
      test::run_command(without_sys(run_words({"--overwrite", "--model", folder_ / "no.onnx"})));
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, testing::StartsWith("facepipe: error: "));
  EXPECT_EQ(refused.err.find('\n'), refused.err.size() - 1) << refused.err;
}

TEST_F(Quiet, D2WithoutProcAndSysTheEngineIsRefused) {
  if (!can_hide_sys()) GTEST_SKIP() << kCannotHideSys;
  const std::string model = FACEPIPE_SOURCE_DIR "/data/fetched/models/centerface.onnx";
  Arguments words =
      without_sys(run_words({"--engine", "openvino", "--device", "cpu", "--model", model}));
  for (std::string& word : words)
    if (word.starts_with("mount ")) word = "mount -t tmpfs none /proc && " + word;
  words.insert(words.begin(), {"timeout", "--kill-after=5", "30"});
  const CommandResult result = test::run_command(words);
  test::expect_refused(result, 4, "OpenVINO can't count the processors");
}

TEST_F(Quiet, WithANetwork) {
  const CommandResult run = test::run_command(run_words({}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
}

TEST_F(Quiet, WhateverEncodes) {
  const CommandResult doctor = test::run_program({"doctor"});
  for (const Arguments& encoder : {Arguments{"libx264"},
                                   {"libx265"},
                                   {"libx265", "--encoder-option", "x265-params=keyint=2"},
                                   {"libsvtav1"},
                                   {"libaom-av1"},
                                   {"libvpx-vp9"},
                                   {"mpeg4"},
                                   {"ffv1"},
                                   {"mjpeg"}}) {
    // If this FFmpeg doesn't have the encoder, the test skips it.
    if (doctor.out.find(" " + encoder[0]) == std::string::npos) continue;
    // These runs use a model without a network, because each run would compile the network again.
    const Arguments words{"--overwrite", "--model", FACEPIPE_SOURCE_DIR "/data/acf_face.json",
                          "--codec"};
    const CommandResult run = test::run_command(run_words(joined(words, encoder)));
    EXPECT_EQ(run.exit_code, 0) << encoder[0];
    EXPECT_EQ(run.err, "") << encoder[0];
  }
}

// The program contains paths of libraries, but not in its section .rodata, which contains the texts
// of all messages.
TEST_F(Quiet, NoMessageNamesTheSourceFolder) {
  const std::string section = folder_ / "rodata";
  const CommandResult dumped = test::run_command(
      {"objcopy", "--dump-section", ".rodata=" + section, FACEPIPE_PROGRAM, folder_ / "copy"});
  ASSERT_EQ(dumped.exit_code, 0) << dumped.err;
  const std::string constants = test::read_file(section);
  EXPECT_NE(constants.find("FFmpeg returned"), std::string::npos) << "this is where messages are";
  const std::size_t found = constants.find(FACEPIPE_SOURCE_DIR "/");
  EXPECT_EQ(found, std::string::npos)
      << constants.substr(found == std::string::npos ? 0 : found, 100).c_str();
}

}  // namespace
}  // namespace facepipe::app
