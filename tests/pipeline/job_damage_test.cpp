// These tests run jobs on files with lost packets, damaged pictures or a missing end. They check
// the counts and the reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/clips.h"
#include "tests/support/extra_data.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

void copy_head(const fs::path& from, const fs::path& to, double part) {
  std::ifstream in(from, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(to, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(static_cast<double>(bytes.size()) * part));
}

/// Names a file, and says how many packets, decoded frames, lost frames and damaged frames a job
/// must count in it.
struct DamageCase {
  const char* file;
  std::int64_t packets;
  std::int64_t decoded;
  std::int64_t lost;
  std::int64_t damaged;
};

void expect_ledger(const fs::path& input, const DamageCase& c) {
  const TemporaryFolder folder;
  const JobRun run = run_fake_job(lossless_job(input, folder / "out.mkv"));
  const video::FrameLedger& ledger = run.result.ledger;
  EXPECT_EQ(ledger.packets, c.packets) << c.file;
  EXPECT_EQ(ledger.decoded, c.decoded) << c.file;
  EXPECT_EQ(ledger.lost, c.lost) << c.file;
  EXPECT_EQ(ledger.damaged, c.damaged) << c.file;
  EXPECT_EQ(ledger.written, c.decoded) << c.file;
  EXPECT_EQ(video_stamps(folder / "out.mkv").size(), static_cast<std::size_t>(c.decoded)) << c.file;
}

// These are the conformance and error streams of openh264. Damage that the decoder doesn't report
// isn't counted: BA_MW_D_P_LOST lacks packets, but the gap that they leave is allowed in H.264.
constexpr DamageCase kStreams[] = {
    {"BA1_Sony_D.jsv", 17, 17, 0, 0},
    {"BAMQ2_JVC_C.264", 30, 30, 0, 0},
    {"BA_MW_D.264", 100, 100, 0, 0},
    {"BA_MW_D_IDR_LOST.264", 97, 70, 27, 0},
    {"BA_MW_D_P_LOST.264", 99, 99, 0, 0},
    {"Cisco_Men_whisper_640x320_CABAC_Bframe_9.264", 9, 9, 0, 0},
    {"Error_I_P.264", 6, 6, 0, 5},
    {"MR1_BT_A.h264", 62, 62, 0, 0},
    {"MR2_TANDBERG_E.264", 300, 300, 0, 0},
    {"QCIF_2P_I_allIPCM.264", 2, 2, 0, 0},
    {"SVA_FM1_E.264", 17, 17, 0, 0},
    {"SarVui.264", 17, 17, 0, 0},
    {"Static.264", 10, 10, 0, 0},
    {"test_scalinglist_jm.264", 5, 5, 0, 0},
};

// These conformance streams switch between frames and pairs of fields. They have no damage.
constexpr DamageCase kFieldStreams[] = {
    {"CAPA1_TOSHIBA_B.264", 90, 90, 0, 0},
    {"CAPAMA3_Sand_F.264", 50, 50, 0, 0},
};

TEST(Damage, TableOfH264Streams) {
  const fs::path streams = extra_data() / "h264-streams";
  if (!fs::exists(streams)) GTEST_SKIP() << "no " << streams.string();
  for (const DamageCase& c : kStreams) expect_ledger(streams / c.file, c);
}

/// Copies a file, and flips bits at fixed places that are spread over it.
void copy_damaged(const fs::path& from, const fs::path& to) {
  std::string bytes = read_file(from);
  constexpr std::size_t kPlaces = 16;
  for (std::size_t i = 2; i < kPlaces - 1; ++i)
    bytes[i * bytes.size() / kPlaces] = static_cast<char>(bytes[i * bytes.size() / kPlaces] ^ 0x10);
  std::ofstream(to, std::ios::binary) << bytes;
}

/// Decodes only the video with `threads` threads, and returns the counts.
video::FrameLedger ledger_of(const fs::path& input, int threads) {
  pipeline::JobOptions options = lossless_job(input, {});
  options.resources.threads = threads;
  return run_fake_job(options).result.ledger;
}

// FFmpeg's frame threads forget the damage of some H.264 pictures by chance.
TEST(Damage, AsManyH264PicturesAreDamagedHoweverManyThreadsDecodeThem) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=4 -c:v libx264 -preset ultrafast -bf 2 -g 25",
         folder / "whole.h264");
  copy_damaged(folder / "whole.h264", folder / "clip.h264");
  const std::int64_t damaged = ledger_of(folder / "clip.h264", 1).damaged;
  EXPECT_GT(damaged, 4);
  for (const int threads : {2, 4, 4, 4, 8, 8, 8})
    EXPECT_EQ(ledger_of(folder / "clip.h264", threads).damaged, damaged) << threads;
}

TEST(Damage, FieldPicturesAreNotDamagedHoweverManyThreadsDecodeThem) {
  const fs::path streams = extra_data() / "h264-streams";
  if (!fs::exists(streams)) GTEST_SKIP() << "no " << streams.string();
  for (const DamageCase& c : kFieldStreams)
    for (const int threads : {1, 2, 8}) {
      const video::FrameLedger ledger = ledger_of(streams / c.file, threads);
      EXPECT_EQ(ledger.packets, c.packets) << c.file << ' ' << threads;
      EXPECT_EQ(ledger.decoded, c.decoded) << c.file << ' ' << threads;
      EXPECT_EQ(ledger.lost, c.lost) << c.file << ' ' << threads;
      EXPECT_EQ(ledger.damaged, c.damaged) << c.file << ' ' << threads;
    }
}

TEST(Damage, OfBrokenFieldPicturesThreadsFlagNoMoreThanOneDoes) {
  const fs::path stream = extra_data() / "h264-streams" / "CAPAMA3_Sand_F.264";
  if (!fs::exists(stream)) GTEST_SKIP() << "no " << stream.string();
  const TemporaryFolder folder;
  const std::string whole = read_file(stream);
  std::int64_t found = 0;
  for (std::size_t part = 1; part < 8; ++part) {
    std::string bytes = whole;
    bytes[bytes.size() / 8 * part] ^= '\x10';
    const fs::path broken = folder.write("broken.264", bytes);
    const video::FrameLedger one = ledger_of(broken, 1);
    const video::FrameLedger many = ledger_of(broken, 8);
    EXPECT_LE(many.damaged, one.damaged) << part;
    EXPECT_EQ(many.lost, one.lost) << part;
    found += one.damaged;
  }
  EXPECT_GT(found, 0) << "the change harms no picture";
}

TEST(Damage, PicturesThatChangeSizeAreScaledToTheFirst) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=0.5 -c:v libx264 -f h264", folder / "a.264");
  ffmpeg("-f lavfi -i testsrc2=s=64x48:r=10:d=0.5 -c:v libx264 -f h264", folder / "b.264");
  std::ofstream both(folder / "both.264", std::ios::binary);
  for (const char* part : {"a.264", "b.264"})
    both << std::ifstream(folder / part, std::ios::binary).rdbuf();
  both.close();
  pipeline::JobOptions options = lossless_job(folder / "both.264", folder / "out.mkv");
  const JobRun run = run_fake_job(options);
  EXPECT_EQ(run.result.ledger.written, 10);
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("change from 128x96 yuv420p to 64x48")));
  EXPECT_EQ(decoded_pictures(folder / "out.mkv").size(), 10U * 128 * 96 * 3 / 2);
  options.input.scale_on_size_change = false;
  options.output.path = folder / "refused.mkv";
  EXPECT_THROW(run_fake_job(options), Error);
  EXPECT_FALSE(fs::exists(folder / "refused.mkv"));
}

TEST(Damage, AnEditListHidesItsPackets) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=3 -c:v libx264 -g 10 -bf 2", folder / "long.mp4");
  // ffmpeg cuts the clip without encoding it. It keeps the packets from the last key frame on, and
  // an edit list hides the pictures before the cut.
  ffmpeg("-ss 1.5 -i " + (folder / "long.mp4").string() + " -c copy", folder / "cut.mp4");
  const std::size_t shown = video_stamps(folder / "cut.mp4").size();
  const nlohmann::json probed = probe(folder / "cut.mp4");
  ASSERT_LT(shown, probed.at("packets").size()) << "the clip hides no packet";
  const JobRun run = run_fake_job(lossless_job(folder / "cut.mp4", folder / "out.mp4"));
  EXPECT_EQ(run.result.ledger.packets, static_cast<std::int64_t>(shown));
  EXPECT_EQ(run.result.ledger.written, static_cast<std::int64_t>(shown));
  EXPECT_TRUE(run.result.ledger.intact());
  EXPECT_EQ(video_stamps(folder / "out.mp4"), video_stamps(folder / "cut.mp4"));
}

class CutOff : public testing::TestWithParam<const char*> {};

TEST_P(CutOff, ATruncatedFileIsToldThoughFFmpegCallsItTheEnd) {
  const TemporaryFolder folder;
  const fs::path whole = folder / ("whole" + std::string(GetParam()));
  const fs::path cut = folder / ("cut" + std::string(GetParam()));
  const std::string faststart = std::string(GetParam()) == ".mp4" ? " -movflags +faststart" : "";
  ffmpeg("-f lavfi -i testsrc2=s=320x180:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -c:a aac" +
             faststart,
         whole);
  EXPECT_TRUE(run_fake_job(lossless_job(whole, folder / ("w" + std::string(GetParam()))))
                  .result.ledger.intact());
  copy_head(whole, cut, 0.5);
  const JobRun run = run_fake_job(lossless_job(cut, folder / ("out" + std::string(GetParam()))));
  EXPECT_TRUE(run.result.ledger.ended_early);
  EXPECT_THAT(run.result.notices, Contains(HasSubstr("ended early")));
  EXPECT_GT(run.result.ledger.written, 10);
  EXPECT_LT(run.result.ledger.written, 90);
  EXPECT_EQ(decoded_pictures(run.result.output).size(),
            static_cast<std::size_t>(run.result.ledger.written) * 320 * 180 * 3 / 2);
}

INSTANTIATE_TEST_SUITE_P(Containers, CutOff, testing::Values(".mp4", ".mkv", ".avi"));

/// Changes the offsets of an MP4 file's last track, so that its data lies behind the end of the
/// file, as in a file that is cut off. ISO/IEC 14496-12, 8.7.5, gives the format: version and
/// flags, count, then 32-bit offsets.
void move_last_track_beyond_the_end(const fs::path& mp4) {
  std::string bytes = read_file(mp4);
  const std::size_t offsets = bytes.rfind("stco");
  ASSERT_NE(offsets, std::string::npos);
  const auto count = static_cast<unsigned char>(bytes[offsets + 11]);
  const std::size_t beyond = bytes.size() + 1000;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < 4; ++byte)
      bytes[offsets + 12 + 4 * i + byte] = static_cast<char>(beyond >> (24 - 8 * byte));
  std::ofstream(mp4, std::ios::binary) << bytes;
}

class TrackOutOfReach : public testing::Test {
 protected:
  TrackOutOfReach() : clip_(folder_ / "clip.mp4") {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=10:d=4 -f lavfi -i sine=d=4 -c:v libx264 -c:a aac -b:a 16k",
        clip_);
    move_last_track_beyond_the_end(clip_);
  }
  const TemporaryFolder folder_;
  const fs::path clip_;
};

TEST_F(TrackOutOfReach, EndsNothingWithoutVideoWhichDoesNotWantIt) {
  const JobRun run = run_fake_job(lossless_job(clip_, {}));
  EXPECT_EQ(run.result.ledger.packets, 40);
  EXPECT_EQ(run.result.ledger.decoded, 40);
  EXPECT_TRUE(run.result.ledger.intact());
}

TEST_F(TrackOutOfReach, EndsNothingWhereTheOutputCannotHoldIt) {
  pipeline::JobOptions options = lossless_job(clip_, folder_ / "out.h264");
  const JobRun run = run_fake_job(options);
  EXPECT_EQ(run.result.ledger.written, 40);
  EXPECT_TRUE(run.result.ledger.intact());
}

TEST_F(TrackOutOfReach, IsAnEarlyEndWithItsReasonWhereItIsWanted) {
  const JobRun run = run_fake_job(lossless_job(clip_, folder_ / "out.mkv"));
  EXPECT_TRUE(run.result.ledger.ended_early);
  EXPECT_THAT(run.result.early_end, HasSubstr("the index lists 40 video packets, the file holds"));
  EXPECT_THAT(run.result.notices, Contains("ended early: " + run.result.early_end));
}

TEST(Damage, ATrackThatOutlastsTheVideoIsNoEarlyEndWithoutVideo) {
  const TemporaryFolder folder;
  for (const char* name : {"long.mp4", "long.mkv", "long.avi", "long.ts", "long.flv"}) {
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=10:d=2 -f lavfi -i sine=d=5 -c:v libx264 -c:a aac",
           folder / name);
    const JobRun run = run_fake_job(lossless_job(folder / name, {}));
    EXPECT_TRUE(run.result.ledger.intact()) << name << run.result.early_end;
    EXPECT_EQ(run.result.ledger.decoded, 20) << name;
  }
}

TEST_P(CutOff, ATruncatedFileIsToldWithoutVideoToo) {
  const TemporaryFolder folder;
  const fs::path whole = folder / ("whole" + std::string(GetParam()));
  const fs::path cut = folder / ("cut" + std::string(GetParam()));
  ffmpeg("-f lavfi -i testsrc2=s=320x180:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -c:a aac" +
             std::string(std::string(GetParam()) == ".mp4" ? " -movflags +faststart" : ""),
         whole);
  copy_head(whole, cut, 0.5);
  EXPECT_TRUE(run_fake_job(lossless_job(whole, {})).result.ledger.intact());
  EXPECT_TRUE(run_fake_job(lossless_job(cut, {})).result.ledger.ended_early);
}

TEST(Damage, AllThatACutFileHoldsIsDecoded) {
  const fs::path cut = extra_data() / "h264-streams" / "wwwq_cut.mp4";
  if (!fs::exists(cut)) GTEST_SKIP() << "no " << cut.string();
  const JobRun run = run_fake_job(lossless_job(cut, {}));
  EXPECT_EQ(run.result.ledger.decoded, 119);  // the command ffmpeg also decodes 119 frames
  EXPECT_TRUE(run.result.ledger.ended_early);
  EXPECT_THAT(run.result.early_end, HasSubstr("the index lists 437 video packets"));
}

TEST(Damage, ABrokenPictureIsCountedAsDamaged) {
  const TemporaryFolder folder;
  ffmpeg("-f lavfi -i testsrc2=s=320x180:r=25:d=1 -c:v libx264 -g 100 -bf 0", folder / "in.ts");
  std::fstream file(folder / "in.ts", std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<std::streamoff>(fs::file_size(folder / "in.ts"));
  // This overwrites the payload of a few packets of 188 bytes in the middle.
  for (std::streamoff at = size / 2 / 188 * 188; at < size / 2 + 188 * 4; at += 188) {
    file.seekp(at + 30);
    file << std::string(120, '\x5a');
  }
  file.close();
  const JobRun run = run_fake_job(lossless_job(folder / "in.ts", folder / "out.ts"));
  EXPECT_GT(run.result.ledger.damaged + run.result.ledger.lost, 0);
  EXPECT_FALSE(run.result.ledger.intact());
}

}  // namespace
}  // namespace facepipe::test
