// These tests check inputs and outputs that can't work. Each must lead to one clear line with the
// right kind of error, and leave no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"

namespace facepipe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Refused : public testing::Test {
 protected:
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string at(const char* name) const { return (folder_ / name).string(); }

  void expect_refused(const pipeline::JobOptions& options, ErrorKind kind, const std::string& name,
                      const std::string& reason) const {
    const std::vector<std::string> before = out_.names();
    try {
      run_fake_job(options);
      ADD_FAILURE() << name << ": not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr(reason), Not(HasSubstr("\n"))));
    }
    EXPECT_EQ(out_.names(), before);
  }
  void expect_input_refused(const std::string& input, const std::string& reason) const {
    expect_refused(lossless_job(input, out_ / "out.mkv"), ErrorKind::input, input, reason);
  }

  TemporaryFolder folder_;
  TemporaryFolder out_;
};

TEST_F(Refused, InputsThatAreNoVideo) {
  write("empty.mp4", "");
  write("text.mp4", "This is not a video.\n");
  ffmpeg("-f lavfi -i sine=d=1", folder_ / "sound.m4a");
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", folder_ / "whole.mp4");
  const std::string whole = [&] {
    std::ifstream stream(folder_ / "whole.mp4", std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  }();
  write("no_index.mp4", whole.substr(0, whole.size() / 2));  // the file's index is at its end
  expect_input_refused(at("missing.mp4"), "no such file");
  expect_input_refused(folder_.path().string(), "is a directory");
  expect_input_refused(at("empty.mp4"), "");
  expect_input_refused(at("text.mp4"), "Invalid data");
  expect_input_refused(at("sound.m4a"), "no video stream");
  expect_input_refused(at("no_index.mp4"), "");
}

TEST_F(Refused, ASoundFileWithACoverIsNoVideo) {
  ffmpeg(
      "-f lavfi -i sine=d=1 -f lavfi -i testsrc2=s=64x64:d=1:r=1 -frames:v 1 -map 0 -map 1 "
      "-c:v png -disposition:v attached_pic",
      folder_ / "cover.mp3");
  expect_input_refused(at("cover.mp3"), "no video stream");
}

TEST_F(Refused, UrlsThatNobodyAnswers) {
  expect_input_refused("http://127.0.0.1:9/clip.mp4", "");
  expect_input_refused("nosuchscheme://host/clip.mp4", "Protocol not found");
}

TEST_F(Refused, ANameWithAPercentSignOrColonIsAName) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:d=1:r=1 -frames:v 1 -update 1", folder_ / "a.png");
  std::filesystem::copy(folder_ / "a.png", folder_ / "photo%03d.png");
  std::filesystem::copy(folder_ / "a.png", folder_ / "photo:1.png");
  for (const char* name : {"photo%03d.png", "photo:1.png"}) {
    const JobRun run = run_fake_job(default_job(folder_ / name, out_ / name));
    EXPECT_EQ(run.result.ledger.written, 1) << name;
    EXPECT_TRUE(std::filesystem::exists(out_ / name)) << name;
  }
}

TEST_F(Refused, OutputsThatCannotBeWritten) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", folder_ / "in.mp4");
  const auto job_to = [&](const std::filesystem::path& output) {
    return lossless_job(folder_ / "in.mp4", output);
  };
  const std::string nowhere = (out_ / "no_folder/out.mp4").string();
  expect_refused(job_to(nowhere), ErrorKind::output, nowhere, "No such file or directory");
  expect_refused(job_to(out_ / "out.xyz"), ErrorKind::output, "out.xyz", "no container format");
  expect_refused(job_to(out_ / "out.webm"), ErrorKind::usage, "", "qp");
  pipeline::JobOptions wrong_codec = job_to(out_ / "out.webm");
  wrong_codec.output.encoder = {"libx264", "", {}, {}};
  expect_refused(wrong_codec, ErrorKind::output, "out.webm", "can't hold h264");
}

TEST_F(Refused, EncodersAndOptionsThatDoNotExist) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", folder_ / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder_ / "in.mp4", out_ / "out.mp4");
  options.output.encoder = {"nosuchcodec", "", {}, {}};
  expect_refused(options, ErrorKind::usage, "nosuchcodec", "no such encoder");
  options.output.encoder = {"aac", "", {}, {}};
  expect_refused(options, ErrorKind::usage, "aac", "no such encoder");
  options.output.encoder = {"mjpeg", "fast", {}, {}};
  expect_refused(options, ErrorKind::usage, "mjpeg", "preset");
  options.output.encoder = {"libx264", "nosuchpreset", {}, {}};
  expect_refused(options, ErrorKind::output, "out.mp4", "libx264");
}

TEST_F(Refused, EncodersThatAreNotOfThisDevice) {
  if (avcodec_find_encoder_by_name("h264_nvenc") == nullptr)
    GTEST_SKIP() << "this FFmpeg was built without NVENC";
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", folder_ / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder_ / "in.mp4", out_ / "out.mp4");
  for (const char* name : {"h264_nvenc", "hevc_nvenc"}) {
    options.output.encoder = {name, "", {}, {}};
    expect_refused(options, ErrorKind::usage, name, "the device is the cpu");
  }
}

TEST_F(Refused, SizesThatTheCodecCannotTake) {
  ffmpeg("-f lavfi -i testsrc2=s=1242x710:r=10:d=0.3 -vf scale=1243:711,format=yuv420p -c:v ffv1",
         folder_ / "odd.mkv");
  ffmpeg("-f lavfi -i testsrc2=s=16x16:r=10:d=0.3 -vf scale=1:1,format=yuv420p -c:v ffv1",
         folder_ / "dot.mkv");
  // x264 supports 4:4:4, which allows any size.
  for (const char* name : {"odd.mkv", "dot.mkv"}) {
    const JobRun run = run_fake_job(lossless_job(folder_ / name, out_ / name));
    EXPECT_EQ(run.result.ledger.written, 3) << name;
    EXPECT_THAT(run.result.notices, testing::Contains(HasSubstr("encoded as yuv444p"))) << name;
    const auto stream = streams_of(probe(out_ / name), "video").at(0);
    EXPECT_EQ(stream.at("width"), streams_of(probe(folder_ / name), "video").at(0).at("width"));
  }
  // H.263 allows only a few sizes.
  pipeline::JobOptions options = lossless_job(folder_ / "odd.mkv", out_ / "out.avi");
  options.output.encoder = {"h263", "", {}, {}};
  expect_refused(options, ErrorKind::output, "out.avi", "h263");
}

TEST_F(Refused, BitsThatJpegCannotHold) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=0.3 -pix_fmt yuv420p10le -c:v libx264",
         folder_ / "deep.mkv");
  pipeline::JobOptions options = lossless_job(folder_ / "deep.mkv", out_ / "out.mkv");
  options.output.encoder = {"mjpeg", "", {}, {}};
  expect_refused(options, ErrorKind::output, "out.mkv", "--allow-8bit");
  options.output.allow_8bit = true;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 3);
}

TEST_F(Refused, ARangeWithoutAFrame) {
  ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=1 -c:v libx264", folder_ / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder_ / "in.mp4", out_ / "out.mp4");
  options.input.start_s = 50;
  expect_refused(options, ErrorKind::input, "in.mp4", "no frame in the chosen range");
}

}  // namespace
}  // namespace facepipe::test
