// One input on several decoders at once: records, ledger, notices and the output's packets are
// those of one decoder, for each way in which streams can, or can't, be cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/picture_faces.h"
#include "tests/support/temporary_folder.h"
#include "video/demuxer.h"
#include "video/ffmpeg.h"
#include "video/pictures.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// What a run tells, and what it wrote.
struct Told {
  JobRun run;
  std::vector<FilePacket> packets;
};

Told run_on_lanes(JobOptions options, int lanes) {
  options.lanes = lanes;
  const auto backend = picture_backend();
  Told told;
  JobObserver observer;
  observer.frame = [&](const FrameRecord& record) { told.run.records.push_back(record); };
  told.run.result = run_job(options, *backend, observer, {});
  if (!options.output.empty()) told.packets = packets_of(options.output);
  return told;
}

std::string text_of(const FrameRecord& record) {
  std::string text = std::to_string(record.index) + " at " + std::to_string(record.pts_s) + ", " +
                     std::to_string(record.size.width) + "x" + std::to_string(record.size.height) +
                     ", " + std::to_string(record.candidates) + " candidates";
  for (const Box& box : record.faces.boxes)
    text += " (" + std::to_string(box.x1) + "," + std::to_string(box.y1) + ")";
  return text;
}

std::vector<std::string> texts_of(const std::vector<FrameRecord>& records) {
  std::vector<std::string> texts;
  std::ranges::transform(records, std::back_inserter(texts), text_of);
  return texts;
}

std::string text_of(const FrameLedger& ledger) {
  return std::to_string(ledger.packets) + " packets, " + std::to_string(ledger.decoded) +
         " decoded, " + std::to_string(ledger.lost) + " lost, " + std::to_string(ledger.damaged) +
         " damaged, " + std::to_string(ledger.written) + " written" +
         (ledger.ended_early ? ", ended early" : "");
}

std::string text_of(const FilePacket& packet) {
  return "stream " + std::to_string(packet.stream) + ", pts " + std::to_string(packet.pts) +
         ", dts " + std::to_string(packet.dts) + ", duration " + std::to_string(packet.duration) +
         ", hash " + std::to_string(packet.hash);
}

/// Where the lists differ first; long ones would be printed whole otherwise.
std::string difference(const std::vector<std::string>& found,
                       const std::vector<std::string>& expected) {
  const auto [at, of] = std::ranges::mismatch(found, expected);
  if (at == found.end() && of == expected.end()) return {};
  return std::to_string(found.size()) + " of " + std::to_string(expected.size()) + ", number " +
         std::to_string(at - found.begin()) + ": " + (at == found.end() ? "none" : *at) +
         " instead of " + (of == expected.end() ? "none" : *of);
}

std::string difference(const std::vector<FilePacket>& found,
                       const std::vector<FilePacket>& expected) {
  const auto texts = [](const std::vector<FilePacket>& packets) {
    std::vector<std::string> all;
    for (const FilePacket& packet : packets) all.push_back(text_of(packet));
    return all;
  };
  return difference(texts(found), texts(expected));
}

void expect_same(const Told& found, const Told& expected) {
  EXPECT_EQ(difference(texts_of(found.run.records), texts_of(expected.run.records)), "");
  EXPECT_EQ(difference(found.packets, expected.packets), "");
  const JobResult& result = found.run.result;
  const JobResult& one = expected.run.result;
  EXPECT_EQ(text_of(result.ledger), text_of(one.ledger));
  // Threads that find them at the same time tell them in any order.
  EXPECT_THAT(result.notices, testing::UnorderedElementsAreArray(one.notices));
  EXPECT_EQ(result.early_end, one.early_end);
  EXPECT_EQ(result.faces, one.faces);
  EXPECT_EQ(result.candidates, one.candidates);
  EXPECT_EQ(result.size, one.size);
  EXPECT_EQ(result.decoder, one.decoder);
  EXPECT_EQ(result.encoder, one.encoder);
  EXPECT_EQ(live_frames(), 0);
}

using Make = std::function<void(const fs::path& clip)>;

/// A clip, what is run of it, and how often it is cut.
struct Row {
  const char* name;
  const char* file;
  Make make;
  int cuts;  ///< exactly so many, so that no row passes by never being cut
  const char* output = "out.avi";
  std::optional<double> start_s = {};
  std::optional<double> end_s = {};
  std::int64_t frames = 250;  ///< at least so many are expected
  int threads = 2;            ///< of each decoder, on every machine
  bool is_whole = true;       ///< false: something is lost, damaged or cut off
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string source(const std::string& size, double seconds) {
  return "-f lavfi -i testsrc2=s=" + size + ":r=25:d=" + std::to_string(seconds) + " ";
}
const std::string k250 = source("96x64", 10);
const std::string kX264 = "-c:v libx264 -preset veryfast -threads 1 -bf 3 -x264-params ";
const std::string kGop = "keyint=48:min-keyint=48:scenecut=0";
const std::string kClosed = kX264 + kGop + " ";
const std::string kOpen = kX264 + kGop + ":open-gop=1:b-adapt=0 ";
const std::string kUneven =
    "-vf settb=1/1000,setpts=N*40+mod(N*N*7\\,37) -fps_mode vfr -enc_time_base 1/1000 ";

Make encoded(const std::string& arguments) {
  return [arguments](const fs::path& clip) { ffmpeg(arguments, clip); };
}

/// From the second second on: the MP4 file has an edit list, and begins with pictures that aren't
/// shown.
Make edited(const std::string& arguments) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    ffmpeg(arguments, folder / "whole.mp4");
    ffmpeg("-ss 1 -i " + (folder / "whole.mp4").string() + " -c copy", clip);
  };
}

/// Two files behind one another.
Make joined(const std::string& first, const std::string& second) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    const fs::path made = folder / ("second" + clip.extension().string());
    ffmpeg(first, clip);
    ffmpeg(second, made);
    std::ofstream(clip, std::ios::binary | std::ios::app) << read_file(made);
  };
}

/// Of the packets in the middle between two cuts, the largest.
UniqueAVPacket large_packet(const fs::path& clip) {
  Demuxer demuxer(clip.string(), {});
  UniqueAVPacket largest;
  for (int i = 0; i < 136; ++i) {
    UniqueAVPacket packet = demuxer.read();
    if (i >= 104 && (!largest || packet->size > largest->size)) largest = std::move(packet);
  }
  return largest;
}

/// Some bytes of a picture are others; `from`: counted from the packet's begin in the file. Not at
/// a cut: what a decoder makes of a damaged picture there depends on those that it had before.
Make damaged(const std::string& arguments, std::size_t from) {
  return [=](const fs::path& clip) {
    ffmpeg(arguments, clip);
    constexpr std::size_t kBytes = 200;
    const auto begin = static_cast<std::size_t>(large_packet(clip)->pos) + from;
    std::string bytes = read_file(clip);
    for (std::size_t i = 0; i < kBytes; ++i) bytes.at(begin + i) = static_cast<char>(i * 37 % 251);
    std::ofstream(clip, std::ios::binary) << bytes;
  };
}

/// The last fifth is missing.
Make cut_off(const std::string& arguments) {
  return [=](const fs::path& clip) {
    ffmpeg(arguments, clip);
    fs::resize_file(clip, fs::file_size(clip) / 5 * 4);
  };
}

const std::vector<Row>& h264_rows() {
  static const std::vector<Row> rows{
      {"ClosedGop", "c.mp4", encoded(k250 + kClosed), 4},
      {"ClosedGopToMp4", "c.mp4", encoded(k250 + kClosed), 4, "out.mp4"},
      {"Raw", "c.264", encoded(k250 + kClosed), 4},
      {"OpenGop", "c.mp4", encoded(k250 + kOpen), 4},
      {"OpenGopTransportStream", "c.ts", encoded(k250 + kOpen), 4, "out.mp4"},
      {"UnevenGaps", "c.mp4", encoded(k250 + kUneven + kClosed), 4, "out.mp4"},
      {"UnevenGapsOpenGop", "c.mkv", encoded(k250 + kUneven + kOpen), 4, "out.mp4"},
      {"EditList", "c.mp4", edited(k250 + kOpen), 4, "out.mp4", {}, {}, 225},
      {"IntraRefresh", "c.mp4", encoded(k250 + kX264 + kGop + ":intra-refresh=1"), 0},
      {"SizeChanges",
       "c.ts",
       joined(source("96x64", 5.76) + kClosed,
              source("64x64", 5.76) + kClosed + "-output_ts_offset 5.76 "),
       5,
       "out.avi",
       {},
       {},
       288},
      {"StampsStartAnew",
       "c.ts",
       joined(source("96x64", 5.76) + kClosed, source("96x64", 5.76) + kClosed),
       5,
       "out.mp4",
       {},
       {},
       288},
  };
  return rows;
}

const std::vector<Row>& other_rows() {
  static const std::vector<Row> rows{
      {"Mpeg2", "c.ts", encoded(k250 + "-c:v mpeg2video -g 15 -bf 2"), 4},
      {"MotionJpeg", "c.avi", encoded(k250 + "-c:v mjpeg"), 6},
      {"Vp9", "c.webm", encoded(k250 + "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 48"), 4,
       "out.mp4"},
  };
  return rows;
}

// With several threads FFmpeg flags the last picture of a stream that is cut off as damaged or not,
// as it happens.
const std::vector<Row>& broken_rows() {
  static const std::vector<Row> rows{
      {"LostPicture", "c.mp4", damaged(k250 + kClosed, 0), 4, "out.avi", {}, {}, 200, 1, false},
      {"DamagedOpenGop", "c.mp4", damaged(k250 + kOpen, 100), 4, "out.avi", {}, {}, 200, 1, false},
      // A packet without a header: from there on FFmpeg believes in decoding stamps.
      {"LostHeader", "c.ts", damaged(k250 + kClosed, 40), 4, "out.avi", {}, {}, 200, 1},
      {"LostHeaderAtTheBegin", "c.ts", damaged(k250 + kClosed, 0), 4, "out.mp4", {}, {}, 200, 1},
      {"CutOff",
       "c.mp4",
       cut_off(k250 + kOpen + "-movflags +faststart"),
       3,
       "out.mp4",
       {},
       {},
       150,
       1,
       false},
      {"CutOffTransportStream", "c.ts", cut_off(k250 + kClosed), 3, "out.avi", {}, {}, 150, 1},
  };
  return rows;
}

const std::vector<Row>& range_rows() {
  static const std::vector<Row> rows{
      {"Range", "c.mp4", encoded(k250 + kClosed), 2, "out.mp4", 2.5, 8.1, 140},
      {"RangeOpenGop", "c.mp4", encoded(k250 + kOpen), 2, "out.avi", 2.5, 8.1, 140},
      {"RangeFromTheBegin", "c.mp4", encoded(k250 + kOpen), 3, "out.mp4", {}, 7.7, 192},
      {"RangeToTheEnd", "c.mkv", encoded(k250 + kOpen), 3, "out.mp4", 3.3, {}, 167},
  };
  return rows;
}

const std::string kLong = source("64x64", 16) + "-f lavfi -i sine=d=16 ";
const std::string kLongGop = kX264 + "keyint=250:min-keyint=250:scenecut=0 ";

const std::vector<Row>& sound_rows() {
  static const std::vector<Row> rows{
      {"LongGopWithSound",
       "c.mp4",
       encoded(kLong + kLongGop + "-c:a aac"),
       1,
       "out.mp4",
       {},
       {},
       400},
      {"LongGopWithSoundToAvi",
       "c.mkv",
       encoded(kLong + kLongGop + "-c:a mp2"),
       1,
       "out.avi",
       {},
       {},
       400},
      {"ShortGopWithSound", "c.ts", encoded(kLong + kOpen + "-c:a aac"), 7, "out.mp4", {}, {}, 400},
      {"RangeWithSound", "c.mp4", encoded(kLong + kOpen + "-c:a aac"), 4, "out.mp4", 3.1, 12.3,
       230},
  };
  return rows;
}

class LaneRows : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    redirect_ffmpeg_log();
    GetParam().make(folder_ / GetParam().file);
  }

  [[nodiscard]] JobOptions job(bool with_video) const {
    const Row& row = GetParam();
    JobOptions options = lossless_job(folder_ / row.file, {});
    if (with_video) options.output = folder_ / row.output;
    options.encoder = {"mjpeg", "", {}, {}};
    options.threads = row.threads;
    options.start_s = row.start_s;
    options.end_s = row.end_s;
    return options;
  }

  void expect_as_one_lane(bool with_video) const {
    const Told one = run_on_lanes(job(with_video), 1);
    EXPECT_EQ(one.run.result.cuts, 0);
    if (!GetParam().is_whole) {
      EXPECT_FALSE(one.run.result.ledger.intact());
    }
    EXPECT_GE(std::ssize(one.run.records), GetParam().frames);
    for (const int lanes : {2, 7}) {
      SCOPED_TRACE(std::to_string(lanes) + " lanes");
      const Told found = run_on_lanes(job(with_video), lanes);
      expect_same(found, one);
      EXPECT_EQ(found.run.result.cuts, GetParam().cuts);
      EXPECT_EQ(found.run.result.lanes.count, lanes);
      EXPECT_EQ(found.run.result.lanes.why_one, "");
    }
  }

  TemporaryFolder folder_;
};

TEST_P(LaneRows, TellAndWriteWhatOneLaneDoes) {
  expect_as_one_lane(false);
  SCOPED_TRACE("with video");
  expect_as_one_lane(true);
}

std::string name_of(const testing::TestParamInfo<Row>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(H264, LaneRows, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Others, LaneRows, testing::ValuesIn(other_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Broken, LaneRows, testing::ValuesIn(broken_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Ranges, LaneRows, testing::ValuesIn(range_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(Sound, LaneRows, testing::ValuesIn(sound_rows()), name_of);

TEST(Lanes, AreRefusedToAnEncoderThatNeedsTheOrder) {
  const TemporaryFolder folder;
  ffmpeg(k250 + kClosed, folder / "c.mp4");
  JobOptions options = lossless_job(folder / "c.mp4", folder / "out.mp4");
  options.lanes = 3;
  expect_error(ErrorKind::usage, "libx264", [&] { run_fake_job(options); });
  options.encoder = {"mjpeg", "", {}, {{"b", "1000000"}}};  // which spreads bits over pictures
  expect_error(ErrorKind::usage, "mjpeg", [&] { run_fake_job(options); });
  EXPECT_THAT(folder.names(), testing::ElementsAre("c.mp4"));
}

TEST(Lanes, AreOneOnTheCpuWhereNobodyAsks) {
  const TemporaryFolder folder;
  ffmpeg(k250 + kClosed, folder / "c.mp4");
  const JobResult result = run_fake_job(lossless_job(folder / "c.mp4", {})).result;
  EXPECT_EQ(result.lanes.count, 1);
  EXPECT_EQ(result.lanes.why_one, "");
  EXPECT_EQ(result.cuts, 0);
}

void expect_one_lane(JobOptions options, const std::string& why, std::int64_t frames) {
  options.lanes = 7;
  const JobRun run = run_fake_job(options);
  EXPECT_EQ(run.result.lanes.count, 1);
  EXPECT_THAT(run.result.lanes.why_one, HasSubstr(why));
  EXPECT_EQ(run.result.cuts, 0);
  EXPECT_EQ(run.result.ledger.decoded, frames);
  EXPECT_EQ(std::ssize(run.records), frames);
}

TEST(Lanes, AreOneForAShortClip) {
  const TemporaryFolder folder;
  ffmpeg(source("64x64", 2.52) + kClosed, folder / "c.mp4");
  expect_one_lane(lossless_job(folder / "c.mp4", {}), "too short", 63);
}

TEST(Lanes, AreOneForAPicture) {
  const TemporaryFolder folder;
  ffmpeg(source("64x64", 1) + "-frames:v 1", folder / "a.png");
  ffmpeg(source("64x64", 1) + "-frames:v 1", folder / "a.jpg");
  expect_one_lane(lossless_job(folder / "a.png", {}), "too short", 1);
  expect_one_lane(lossless_job(folder / "a.jpg", {}), "too short", 1);
}

TEST(Lanes, AreOneForARangeOfFramesWithoutStamps) {
  const TemporaryFolder folder;
  ffmpeg(k250 + kClosed, folder / "c.264");
  JobOptions options = lossless_job(folder / "c.264", {});
  options.end_s = 4;
  expect_one_lane(options, "no time stamps", 100);
}

// Records say who did the work: more than one did, and each frame by one of those there are.
TEST(Lanes, ShareTheWork) {
  const TemporaryFolder folder;
  ffmpeg(k250 + kClosed, folder / "c.mp4");
  const Told told = run_on_lanes(lossless_job(folder / "c.mp4", {}), 2);
  for (const FrameRecord& record : told.run.records) {
    EXPECT_GE(record.lane, 0);
    EXPECT_LT(record.lane, 2);
    EXPECT_GE(record.order_wait_ms, 0);
  }
}

}  // namespace
}  // namespace facepipe::test
