// These tests check that an input which was opened to choose its output's name isn't opened again.
#include "app/run/opened_inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

class OpenedInputsTest : public testing::Test {
 protected:
  OpenedInputsTest() {
    test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=0.5 -c:v libx264", folder_ / "clip.ts");
  }

  std::string copy(const std::string& name) {
    fs::copy_file(folder_ / "clip.ts", folder_ / name);
    return (folder_ / name).string();
  }

  std::unique_ptr<video::Demuxer> take_named(const std::string& input) {
    EXPECT_EQ(inputs_.output_extension(input, ""), ".ts");
    return inputs_.take(input);
  }

  const test::TemporaryFolder folder_;
  OpenedInputs inputs_{false, video::References::refuse, kDefaultMaxPixels, {}};
};

TEST_F(OpenedInputsTest, AreReadByTheirJobsAsTheyStand) {
  const std::string input = copy("gone.ts");
  std::unique_ptr<video::Demuxer> opened = take_named(input);
  fs::remove(input);
  const auto run =
      test::run_fake_job(test::lossless_job(input, folder_ / "out.mkv"), {}, {}, std::move(opened));
  EXPECT_EQ(run.result.ledger.written, 5);
  EXPECT_TRUE(run.result.ledger.intact());
}

TEST_F(OpenedInputsTest, EndWithTheirJobWhenItIsStopped) {
  const std::string input = copy("stopped.ts");
  std::unique_ptr<video::Demuxer> opened = take_named(input);
  std::stop_source stop;
  stop.request_stop();
  const auto run = test::run_fake_job(test::lossless_job(input, folder_ / "out.mkv"), {},
                                      stop.get_token(), std::move(opened));
  EXPECT_TRUE(run.result.interrupted);
  EXPECT_EQ(run.result.ledger.packets, 0);
}

TEST_F(OpenedInputsTest, AreTakenOnce) {
  const std::string input = copy("once.ts");
  EXPECT_NE(take_named(input), nullptr);
  EXPECT_EQ(inputs_.take(input), nullptr);
}

// If several inputs are processed at the same time, the largest is taken first.
TEST_F(OpenedInputsTest, AreTakenInAnyOrder) {
  const std::string first = copy("first.ts");
  EXPECT_EQ(inputs_.output_extension(first, ""), ".ts");
  EXPECT_NE(take_named(copy("next.ts")), nullptr);
  EXPECT_NE(inputs_.take(first), nullptr);
}

TEST_F(OpenedInputsTest, AreOpenedOnce) {
  const std::string input = copy("only.ts");
  inputs_.open(input);
  fs::remove(input);
  std::ofstream(input) << "no media";
  inputs_.open(input);  // would throw if it opened the file again
  EXPECT_NE(inputs_.take(input), nullptr);
  EXPECT_EQ(inputs_.take(input), nullptr);
}

TEST_F(OpenedInputsTest, AreNotKeptWithoutEnd) {
  std::string last;
  for (std::size_t i = 0; i <= OpenedInputs::kMostKept; ++i) {
    last = copy(std::to_string(i) + ".ts");
    EXPECT_EQ(inputs_.output_extension(last, ""), ".ts");
  }
  EXPECT_EQ(inputs_.take(last), nullptr);
  EXPECT_NE(inputs_.take((folder_ / "0.ts").string()), nullptr);
}

TEST_F(OpenedInputsTest, ThatCannotBeOpenedAreErrors) {
  std::ofstream(folder_ / "bad.mp4") << "no media";
  test::expect_error(ErrorKind::input, "bad.mp4", [&] {
    static_cast<void>(inputs_.output_extension((folder_ / "bad.mp4").string(), ""));
  });
}

TEST_F(OpenedInputsTest, ByUrlAreKeptOnlyWhereNothingIsWaitedFor) {
  const std::string url = "file://" + copy("url.ts");
  EXPECT_EQ(take_named(url), nullptr);
  OpenedInputs alone{true, video::References::refuse, kDefaultMaxPixels, {}};
  EXPECT_EQ(alone.output_extension(url, ""), ".ts");
  EXPECT_NE(alone.take(url), nullptr);
}

// Probing a FIFO would consume bytes that the run needs.
TEST_F(OpenedInputsTest, DoNotIncludeFifos) {
  const fs::path fifo = folder_ / "fifo.ts";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(inputs_.output_extension(fifo.string(), ""), ".mkv");  // must not wait for a writer
  inputs_.open(fifo.string());
  EXPECT_EQ(inputs_.take(fifo.string()), nullptr);
}

}  // namespace
}  // namespace facepipe::app
