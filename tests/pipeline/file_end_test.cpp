// These tests check files that announce more than they hold: files with pictures that only repeat
// other pictures, and files that end too early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/shown_times.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;
using namespace std::string_literals;

/// Makes a clip of 35 frames with a gap after frame 20, with this encoder and its options.
void make_gap(const std::string& encoder, const fs::path& file) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=10:d=6 -vf select='not(between(n,20,44))' -fps_mode vfr "
      "-c:v " +
          encoder,
      file);
}

video::FrameLedger ledger_of(const fs::path& file) {
  return run_fake_job(lossless_job(file, {})).result.ledger;
}

TEST(AviGaps, B9AreNoEarlyEnd) {
  const TemporaryFolder folder;
  const fs::path avi = folder / "gap.avi";
  // The AVI file has an empty chunk for each missing frame.
  make_gap("mjpeg", avi);
  const JobRun run = run_fake_job(lossless_job(avi, folder / "out.mkv"));
  EXPECT_EQ(run.result.ledger.decoded, 35);
  EXPECT_TRUE(run.result.ledger.intact()) << run.result.early_end;
  EXPECT_EQ(video_stamps(folder / "out.mkv"), video_stamps(avi));
}

TEST(AviGaps, B9OurOwnFilesOfUnevenFramesCanBeRead) {
  const TemporaryFolder folder;
  make_gap("libx264", folder / "gap.mp4");
  run_fake_job(lossless_job(folder / "gap.mp4", folder / "gap.avi"));
  const video::FrameLedger ledger = ledger_of(folder / "gap.avi");
  EXPECT_EQ(ledger.decoded, 35);
  EXPECT_TRUE(ledger.intact());
  const std::vector<double> times = shown_times(folder / "gap.avi", "v:0");
  ASSERT_EQ(times.size(), 35U);
  EXPECT_NEAR(times[20] - times[0], 4.5, .001);
}

TEST(AviGaps, B9AFileThatIsCutBehindOneIsTold) {
  const TemporaryFolder folder;
  make_gap("mjpeg", folder / "gap.avi");
  const std::string bytes = read_file(folder / "gap.avi");
  folder.write("cut.avi", bytes.substr(0, bytes.size() * 9 / 10));
  EXPECT_TRUE(ledger_of(folder / "cut.avi").ended_early);
}

TEST(Durations, B10AllOnesPromiseNothing) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -movflags frag_keyframe+empty_moov",
         folder / "fragments.mp4");
  std::string bytes = read_file(folder / "fragments.mp4");
  constexpr std::size_t kDuration = 4 + 4 + 4 + 4 + 4;  // offset of the duration behind the name of
                                                        // the box "mdhd", version 0
  const std::size_t header = bytes.find("mdhd");
  ASSERT_NE(header, std::string::npos);
  bytes.replace(header + kDuration, 4, 4, '\xFF');
  folder.write("ones.mp4", bytes);
  const JobRun run = run_fake_job(lossless_job(folder / "ones.mp4", {}));
  EXPECT_EQ(run.result.ledger.decoded, 50);
  EXPECT_TRUE(run.result.ledger.intact()) << run.result.early_end;
  EXPECT_LT(video::Demuxer((folder / "ones.mp4").string(), {}).expected_frames(), 51);
}

/// Sets the flag "not coded" in the n-th VOP of an MPEG-4 stream with 25 frames a second. The flag
/// follows the type, a zero, a marker, five bits of time, and another marker (ISO/IEC 14496-2,
/// 6.2.5).
void mark_not_coded(std::string& bytes, int n) {
  std::size_t at = 0;
  for (int i = 0; i <= n; ++i) at = bytes.find("\0\0\1\xB6"s, at) + 4;
  ASSERT_LT(at + 1, bytes.size());
  bytes[at + 1] = static_cast<char>(bytes[at + 1] & ~0x20);
}

TEST(UnchangedPictures, B11VopsThatAreNotCodedAreNotLost) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.8 -c:v mpeg4", folder / "in.avi");
  std::string bytes = read_file(folder / "in.avi");
  for (const int vop : {5, 6, 19}) mark_not_coded(bytes, vop);
  folder.write("some.avi", bytes);
  const JobRun run = run_fake_job(lossless_job(folder / "some.avi", folder / "out.mkv"));
  EXPECT_EQ(run.result.ledger.decoded, 17);
  EXPECT_EQ(run.result.ledger.lost, 0);
  EXPECT_TRUE(run.result.ledger.intact()) << run.result.early_end;
  const std::vector<double> times = shown_times(folder / "out.mkv", "v:0");
  ASSERT_EQ(times.size(), 17U);
  EXPECT_NEAR(times[5] - times[4], .12, .0011);
}

TEST(UnchangedPictures, B11PacketsThatGiveNoneWithoutAnErrorAreNotLost) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v cinepak", folder / "in.avi");
  std::string bytes = read_file(folder / "in.avi");
  // A Cinepak picture without strips changes nothing. The number of strips is stored behind the
  // picture's size.
  std::size_t picture = bytes.find("movi");
  for (int i = 0; i < 5; ++i) picture = bytes.find("00dc", picture) + 8;
  bytes.replace(picture + 8, 2, 2, '\0');
  folder.write("some.avi", bytes);
  const video::FrameLedger ledger = ledger_of(folder / "some.avi");
  EXPECT_EQ(ledger.decoded, 9);
  EXPECT_EQ(ledger.packets, 9);
  EXPECT_TRUE(ledger.intact());
}

TEST(UnchangedPictures, B11ADamagedPictureIsStillLost) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=1 -c:v png", folder / "in.avi");
  std::string bytes = read_file(folder / "in.avi");
  std::size_t at = 0;
  for (int i = 0; i < 4; ++i) at = bytes.find("\x89PNG", at + 1);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'X';
  folder.write("bad.avi", bytes);
  EXPECT_EQ(ledger_of(folder / "bad.avi").lost, 1);
}

class CutEnd : public testing::TestWithParam<const char*> {};

// Only the end of the last sound packet is missing in the file.
TEST_P(CutEnd, B15WithinTheLastSoundIsTold) {
  const std::string arguments = GetParam();
  const std::string name = arguments.substr(0, arguments.find(' '));
  const TemporaryFolder folder;
  const fs::path whole = folder / ("whole" + name);
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i anoisesrc=d=1.2 -c:v libx264 -c:a aac "
      "-b:a 128k" +
          arguments.substr(name.size()),
      whole);
  const fs::path output = folder / "out.mkv";
  EXPECT_TRUE(run_fake_job(lossless_job(whole, output)).result.ledger.intact());
  const std::string bytes = read_file(whole);
  std::size_t end = bytes.size();
  if (const std::size_t index = bytes.rfind("mfra"); index != std::string::npos) end = index - 4;
  folder.write("cut" + name, bytes.substr(0, end - 100));
  const JobRun run = run_fake_job(lossless_job(folder / ("cut" + name), output));
  EXPECT_TRUE(run.result.ledger.ended_early);
  EXPECT_EQ(run.result.ledger.decoded, 25);
}

INSTANTIATE_TEST_SUITE_P(Containers, CutEnd,
                         testing::Values(".mp4 -movflags frag_keyframe+empty_moov",
                                         ".mp4 -movflags +faststart", ".mkv -live 1", ".flv"));

TEST(CutEnd, B15BehindTheHeadOfAFragmentIsTold) {
  const TemporaryFolder folder;
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -g 25 -movflags "
      "frag_keyframe+empty_moov+default_base_moof",
      folder / "whole.mp4");
  const std::string bytes = read_file(folder / "whole.mp4");
  folder.write("cut.mp4", bytes.substr(0, bytes.rfind("moof") + 4));
  EXPECT_TRUE(ledger_of(folder / "whole.mp4").intact());
  const JobRun run = run_fake_job(lossless_job(folder / "cut.mp4", {}));
  EXPECT_EQ(run.result.ledger.decoded, 25);
  EXPECT_THAT(run.result.early_end, HasSubstr("within a fragment"));
}

TEST(CutEnd, B15WhatStandsBehindAFileIsNoPartOfIt) {
  const TemporaryFolder folder;
  for (const char* name : {"a.mp4", "a.mkv"}) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264", folder / name);
    std::ofstream(folder / name, std::ios::binary | std::ios::app)
        << std::string(40, '\0') << "own";
    EXPECT_TRUE(ledger_of(folder / name).intact()) << name;
  }
}

}  // namespace
}  // namespace facepipe::test
