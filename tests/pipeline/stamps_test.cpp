// These tests check at which times pictures are shown, in every container. The expected times are
// those that ffprobe reports about the input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/shown_times.h"
#include "tests/support/temporary_folder.h"
#include "video/read/cpu_decoder.h"
#include "video/read/decoder.h"
#include "video/read/first_picture.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
namespace fs = std::filesystem;

struct Container {
  const char* name;         ///< name of the output file
  const char* format = "";  ///< FFmpeg's name of the format, if the file's name doesn't determine
                            ///< it
  const char* sound = "mp2";
  double grid = 0;   ///< distance between two times that the container can store, in seconds
  double begin = 0;  ///< first stamp of the input, in seconds
};

std::ostream& operator<<(std::ostream& out, const Container& container) {
  return out << container.name << ' ' << container.sound << " from " << container.begin;
}

class InSync : public testing::TestWithParam<Container> {};

// The clip has B-frames whose decoding stamps begin before zero, sound with priming, and stamps far
// from zero.
TEST_P(InSync, B2PicturesAndSoundStayTogether) {
  const Container& container = GetParam();
  const TemporaryFolder folder;
  const fs::path in = folder / "in.mkv";
  ffmpeg(
      "-f lavfi -i testsrc2=s=160x120:r=25:d=0.8 -f lavfi -i sine=r=44100:d=1 -c:v libx264 "
      "-preset ultrafast -bf 2 -ac 2 -output_ts_offset " +
          std::to_string(container.begin) + " -c:a " + container.sound,
      in);
  pipeline::JobOptions options = default_job(in, folder / container.name);
  options.output.format = container.format;
  const JobRun run = run_fake_job(options);
  EXPECT_TRUE(run.result.ledger.intact());
  const std::vector<double> before = shown_times(in, "v:0");
  const std::vector<double> after = shown_times(options.output.path, "v:0");
  ASSERT_EQ(after.size(), before.size());
  EXPECT_GE(after.front(), 0);
  const double tolerance = std::max(0.00101, container.grid);
  for (std::size_t i = 1; i < after.size(); ++i)
    EXPECT_NEAR(after[i] - after[0], before[i] - before[0], tolerance) << i;
  const std::vector<double> sound_before = shown_times(in, "a:0");
  const std::vector<double> sound_after = shown_times(options.output.path, "a:0");
  ASSERT_FALSE(sound_after.empty());
  EXPECT_NEAR(after[0] - sound_after[0], before[0] - sound_before[0], tolerance);
}

INSTANTIATE_TEST_SUITE_P(
    Containers, InSync,
    testing::Values(
        Container{"o.flv", "", "libmp3lame"}, Container{"o.swf", "", "libmp3lame", .04},
        Container{"o.f4v", "", "aac"}, Container{"o.nut"}, Container{"o.avi", "", "mp2", .04},
        Container{"o.avi", "", "pcm_s16le", .04, 1.4}, Container{"o.asf"},
        Container{"o.wmv", "", "wmav2"}, Container{"o.mpg"}, Container{"o.vob"},
        Container{"o.dvd", "dvd"}, Container{"o.vob", "svcd"}, Container{"o.mpg", "vcd"},
        Container{"o.ts"}, Container{"o.ts", "", "aac", 0, 10}, Container{"o.mp4"},
        Container{"o.mp4", "", "aac", 0, -3}, Container{"o.mov"}, Container{"o.3gp", "", "aac"},
        Container{"o.m4v", "ipod", "aac"}, Container{"o.mkv"}, Container{"o.mkv", "", "aac", 0, -3},
        Container{"o.ogg", "", "flac"}, Container{"o.wtv"},
        Container{"o.mxf", "", "pcm_s16le -ar 48000", .04}));

TEST(Stamps, B2BFramesThatWereAskedForAreTold) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264", folder / "in.mp4");
  pipeline::JobOptions options = lossless_job(folder / "in.mp4", folder / "out.avi");
  EXPECT_TRUE(run_fake_job(options).result.notices.empty());
  options.output.encoder.preset = "medium";
  options.output.encoder.options = {{"bf", "2"}};
  EXPECT_THAT(run_fake_job(options).result.notices, Contains(HasSubstr("B-frames")));
}

TEST(Stamps, B2WhatAContainerKeepsNoTimesOfIsTold) {
  const TemporaryFolder folder;
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -itsoffset 0.5 -f lavfi -i sine=d=0.5 "
      "-vf select='not(between(n,10,12))' -fps_mode vfr -c:v libx264 -c:a pcm_s16le",
      folder / "in.mkv");
  const auto told = [&](const char* name) {
    pipeline::JobOptions options = default_job(folder / "in.mkv", folder / name);
    return run_fake_job(options).result.notices;
  };
  EXPECT_THAT(
      told("o.avi"),
      Contains(HasSubstr("sound comes too early in stream 1: avi can't start a stream later")));
  EXPECT_THAT(told("o.avi"), Not(Contains(HasSubstr("gaps"))));
  EXPECT_THAT(told("o.264"), Contains(HasSubstr("h264 can't hold gaps between pictures")));
  EXPECT_THAT(told("o.nut"), Not(Contains(HasSubstr("too early"))));
}

TEST(Stamps, B2EachPictureOfAProgramStreamHasATime) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i color=s=64x48:r=25:d=1 -c:v libx264", folder / "in.mp4");
  run_fake_job(default_job(folder / "in.mp4", folder / "out.mpg"));
  const nlohmann::json probed = probe(folder / "out.mpg");
  ASSERT_EQ(probed.at("packets").size(), 25U);
  for (const auto& packet : probed.at("packets")) EXPECT_TRUE(packet.contains("pts"));
}

/// Returns the indices of the black frames.
std::vector<std::size_t> black_frames(const fs::path& file, std::size_t pixels) {
  const std::string luma = decoded_luma(file);
  std::vector<std::size_t> black;
  for (std::size_t frame = 0; (frame + 1) * pixels <= luma.size(); ++frame) {
    const auto begin = luma.begin() + static_cast<std::ptrdiff_t>(frame * pixels);
    const bool all = std::all_of(begin, begin + static_cast<std::ptrdiff_t>(pixels),
                                 [](char c) { return static_cast<unsigned char>(c) < 25; });
    if (all) black.push_back(frame);
  }
  return black;
}

/// Makes a transport stream whose 33-bit time wraps three seconds after its beginning.
class Wrapped : public testing::Test {
 protected:
  Wrapped() {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 "
        "-output_ts_offset 95440.7 -muxdelay 0",
        in_);
  }
  const TemporaryFolder folder_;
  const fs::path in_ = folder_ / "in.ts";
};

TEST_F(Wrapped, B3AllPicturesAreShown) {
  for (const char* name : {"o.mp4", "o.mkv", "o.ts", "o.flv", "o.avi"}) {
    SCOPED_TRACE(name);
    run_fake_job(default_job(in_, folder_ / name));
    const std::vector<double> times = shown_times(folder_ / name, "v:0");
    ASSERT_EQ(times.size(), 150U);
    EXPECT_GE(times.front(), 0);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_NEAR(times[i] - times[i - 1], .04, .0021);
  }
}

TEST_F(Wrapped, B3SecondsCountFromTheFirstPicture) {
  pipeline::JobOptions options = default_job(in_, folder_ / "o.ts");
  options.input.start_s = 4;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 50);
  options.input.end_s = 5;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 25);
}

TEST_F(Wrapped, B3SpansAreHiddenWhereTheyWereAskedFor) {
  pipeline::JobOptions options = default_job(in_, folder_ / "o.mp4");
  options.hide.emplace().regions.all_hidden = {{0, 2}};
  run_fake_job(options);
  const std::vector<std::size_t> black = black_frames(folder_ / "o.mp4", 64 * 48);
  ASSERT_THAT(black, SizeIs(50));
  EXPECT_EQ(black.front(), 0U);
  EXPECT_EQ(black.back(), 49U);
}

class OpenGop : public testing::TestWithParam<const char*> {};

TEST_P(OpenGop, C2EveryStartHasAllPictures) {
  const TemporaryFolder folder;
  const fs::path in = folder / GetParam();
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=10:d=5 -c:v libx264 -preset ultrafast -bf 2 -x264-params "
      "open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=2:b-adapt=0",
      in);
  std::vector<double> times = shown_times(in, "v:0");
  ASSERT_EQ(times.size(), 50U);
  std::sort(times.begin(), times.end());
  const double first = times.front();
  for (std::size_t i = 1; i < times.size() - 1; ++i) {
    pipeline::JobOptions options = lossless_job(in, {});
    options.input.start_s = times[i] - first - .01;
    const JobRun run = run_fake_job(options);
    ASSERT_EQ(run.records.size(), times.size() - i) << *options.input.start_s;
    EXPECT_NEAR(run.records.front().pts_s, times[i], .0011) << *options.input.start_s;
    EXPECT_TRUE(run.result.ledger.intact()) << *options.input.start_s;
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, OpenGop, testing::Values("in.mp4", "in.mkv", "in.ts"));

TEST(Stamps, C2AStartBetweenKeyFramesOfAStreamWithoutIndexHasAllPictures) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=20 -c:v libx264 -preset ultrafast -g 100",
         folder / "in.ts");
  for (const double start : {1.5, 9.4, 15.0}) {
    pipeline::JobOptions options = lossless_job(folder / "in.ts", {});
    options.input.start_s = start;
    const JobRun run = run_fake_job(options);
    EXPECT_EQ(run.result.ledger.decoded, std::lround((20 - start) * 10)) << start;
    EXPECT_TRUE(run.result.ledger.intact()) << start;
  }
}

TEST(Stamps, C5ARawStreamIsReadNoFurtherThanItsChosenEnd) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=12 -c:v libx264 -preset ultrafast",
         folder / "in.264");
  video::Notices notices("in.264");
  video::Demuxer demuxer((folder / "in.264").string(), {});
  video::DecoderOptions options;
  options.end_s = .4;
  const std::unique_ptr<video::Decoder> decoder =
      video::make_cpu_decoder(demuxer, options, notices);
  int read = 0;
  int shown = 0;
  for (video::ReadPacket packet = video::read_packet(demuxer); packet.packet;
       packet = video::read_packet(demuxer)) {
    if (decoder->past_end(*packet.packet)) break;
    ++read;
    decoder->send(packet);
    while (decoder->next()) ++shown;
  }
  EXPECT_EQ(shown, 10);
  EXPECT_LT(read, 60);
  pipeline::JobOptions whole = lossless_job(folder / "in.264", {});
  whole.input.end_s = .4;
  const JobRun run = run_fake_job(whole);
  EXPECT_EQ(run.result.ledger.decoded, 10);
  EXPECT_TRUE(run.result.ledger.intact());
}

// The first picture is shown one frame duration, 33.37 ms, after the sound begins.
TEST(Stamps, B15AnMp4KeepsItsStartExactly) {
  const TemporaryFolder folder;
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=30000/1001:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 "
      "-bf 0 -bsf:v setts=ts=TS+1001 -video_track_timescale 30000 -movie_timescale 240000",
      folder / "in.mp4");
  ASSERT_EQ(video_stamps(folder / "in.mp4").front(), (Stamp{1001, 30000}));
  for (const char* name : {"o.mp4", "o.mov"}) {
    run_fake_job(lossless_job(folder / "in.mp4", folder / name));
    EXPECT_EQ(video_stamps(folder / name), video_stamps(folder / "in.mp4")) << name;
  }
}

TEST(Stamps, B15AChosenStartMovesTheTimecode) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=3 -c:v libx264 -timecode 01:02:03:04",
         folder / "in.mp4");
  const auto timecode = [&](double start) {
    pipeline::JobOptions options = lossless_job(folder / "in.mp4", folder / "out.mov");
    options.input.start_s = start;
    run_fake_job(options);
    return streams_of(probe(folder / "out.mov"), "video").at(0).at("tags").value("timecode", "");
  };
  EXPECT_EQ(timecode(0), "01:02:03:04");
  EXPECT_EQ(timecode(1.4), "01:02:04:14");
  EXPECT_EQ(timecode(1.39), "01:02:04:14") << "the first frame behind the start has it";
}

TEST(Stamps, B15TheTimecodeOfDroppedFramesIsMovedByItsRule) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30000/1001:d=2 -c:v libx264 -timecode 00:00:59;20",
         folder / "in.mov");
  pipeline::JobOptions options = lossless_job(folder / "in.mov", folder / "out.mov");
  options.input.start_s = 0.5;
  run_fake_job(options);
  EXPECT_EQ(streams_of(probe(folder / "out.mov"), "video").at(0).at("tags").at("timecode"),
            "00:01:00;07");
}

}  // namespace
}  // namespace facepipe::test
