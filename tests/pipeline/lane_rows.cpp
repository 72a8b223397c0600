#include "tests/pipeline/lane_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const FrameRecord& record) {
  std::string text = std::to_string(record.index) + " at " + std::to_string(record.pts_s) + ", " +
                     std::to_string(record.size.width) + "x" + std::to_string(record.size.height) +
                     ", " + std::to_string(record.candidates) + " candidates";
  for (const Box& box : record.faces.boxes)
    text += " (" + std::to_string(box.x1) + "," + std::to_string(box.y1) + ")";
  for (const std::int64_t track : record.face_tracks) text += " #" + std::to_string(track);
  return text;
}

std::vector<std::string> texts_of(const std::vector<FrameRecord>& records) {
  std::vector<std::string> texts;
  std::ranges::transform(records, std::back_inserter(texts), text_of);
  return texts;
}

std::string text_of(const video::FrameLedger& ledger) {
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

/// Says at which index two lists first differ. So a test needn't print long lists.
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

using Make = std::function<void(const fs::path& clip)>;

const std::string kX264 = "-c:v libx264 -preset veryfast -threads 1 -bf 3 -x264-params ";
const std::string kGop = "keyint=48:min-keyint=48:scenecut=0";
const std::string kOpen = kX264 + kGop + ":open-gop=1:b-adapt=0 ";
/// These options make the same stream on all processors. The entropy code is CAVLC, in which
/// decoders notice damage. With CABAC, it would depend on single bits whether decoders notice
/// damage, and x264's bits depend on the processor.
const std::string kOpenToDamage = kX264 + kGop + ":open-gop=1:b-adapt=0:cabac=0:cpu-independent=1 ";
const std::string kUneven =
    "-vf settb=1/1000,setpts=N*40+mod(N*N*7\\,37) -fps_mode vfr -enc_time_base 1/1000 ";

Make encoded(const std::string& arguments) {
  return [arguments](const fs::path& clip) { ffmpeg(arguments, clip); };
}

/// Makes an MP4 clip without its first second. The file has an edit list, and begins with pictures
/// that aren't shown.
Make edited(const std::string& arguments) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    ffmpeg(arguments, folder / "whole.mp4");
    ffmpeg("-ss 1 -i " + (folder / "whole.mp4").string() + " -c copy", clip);
  };
}

/// Makes two clips and joins their bytes.
Make joined(const std::string& first, const std::string& second) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    const fs::path made = folder / ("second" + clip.extension().string());
    ffmpeg(first, clip);
    ffmpeg(second, made);
    std::ofstream(clip, std::ios::binary | std::ios::app) << read_file(made);
  };
}

/// Returns the largest packet among those in the middle between two cuts.
video::UniqueAVPacket large_packet(const fs::path& clip) {
  video::Demuxer demuxer(clip.string(), {});
  video::UniqueAVPacket largest;
  for (int i = 0; i < 136; ++i) {
    video::UniqueAVPacket packet = demuxer.read();
    if (i >= 104 && (!largest || packet->size > largest->size)) largest = std::move(packet);
  }
  return largest;
}

/// Makes a clip and overwrites some bytes of a picture, `from` bytes behind the start of its
/// packet. The picture isn't at a cut, because there the decoder's result would depend on earlier
/// pictures.
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

/// Makes a clip and removes the last fifth of its bytes.
Make cut_off(const std::string& arguments) {
  return [=](const fs::path& clip) {
    ffmpeg(arguments, clip);
    fs::resize_file(clip, fs::file_size(clip) / 5 * 4);
  };
}

pipeline::JobOptions job_of(const LaneRow& row, const fs::path& folder, bool with_video) {
  pipeline::JobOptions options = lossless_job(folder / row.file, {});
  if (with_video) options.output.path = folder / row.output;
  options.output.encoder = {"mjpeg", "", {}, {}};
  options.resources.threads = row.threads;
  options.input.start_s = row.start_s;
  options.input.end_s = row.end_s;
  return options;
}

}  // namespace

std::string source(const std::string& size, double seconds) {
  return "-f lavfi -i testsrc2=s=" + size + ":r=25:d=" + std::to_string(seconds) + " ";
}
const std::string kTenSeconds = source("96x64", 10);
const std::string kClosed = kX264 + kGop + " ";

static const std::string kLong = source("64x64", 16) + "-f lavfi -i sine=d=16 ";
static const std::string kLongGop = kX264 + "keyint=250:min-keyint=250:scenecut=0 ";

void PrintTo(const LaneRow& row, std::ostream* out) { *out << row.name; }

Told run_on_lanes(pipeline::JobOptions options, int lanes, pipeline::Backend& backend) {
  options.resources.lanes = lanes;
  Told told;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& record) { told.run.records.push_back(record); };
  told.run.result = pipeline::run_job(options, backend, observer, {});
  if (!options.output.path.empty()) told.packets = packets_of(options.output.path);
  return told;
}

namespace {

void expect_same_result(const pipeline::JobResult& found, const pipeline::JobResult& expected) {
  EXPECT_EQ(text_of(found.ledger), text_of(expected.ledger));
  // Several threads report notices, so their order can differ.
  EXPECT_THAT(found.notices, testing::UnorderedElementsAreArray(expected.notices));
  EXPECT_EQ(found.early_end, expected.early_end);
  EXPECT_EQ(found.counts.faces, expected.counts.faces);
  EXPECT_EQ(found.counts.candidates, expected.counts.candidates);
  EXPECT_EQ(found.size, expected.size);
  EXPECT_EQ(found.codecs.decoder, expected.codecs.decoder);
  EXPECT_EQ(found.codecs.encoder, expected.codecs.encoder);
}

void expect_same_tracks(const pipeline::JobResult& found, const pipeline::JobResult& expected) {
  ASSERT_EQ(found.tracks == nullptr, expected.tracks == nullptr);
  if (found.tracks) {
    EXPECT_TRUE(*found.tracks == *expected.tracks);
  }
}

}  // namespace

void expect_same(const Told& found, const Told& expected) {
  EXPECT_EQ(difference(texts_of(found.run.records), texts_of(expected.run.records)), "");
  EXPECT_EQ(difference(found.packets, expected.packets), "");
  expect_same_result(found.run.result, expected.run.result);
  expect_same_tracks(found.run.result, expected.run.result);
  EXPECT_EQ(video::live_frames(), 0);
}

void let_hide(pipeline::JobOptions& options) {
  options.hide.emplace().appearance.style = overlay::HideStyle::blur;
  options.hide->regions.hidden = {{"desk", {10, 10, 50, 30}, {1.5, 7.3}}};
  options.hide->wants_tracks = true;
}

const std::vector<LaneRow>& h264_rows() {
  static const std::vector<LaneRow> rows{
      {"ClosedGop", "c.mp4", encoded(kTenSeconds + kClosed), 4},
      {"ClosedGopToMp4", "c.mp4", encoded(kTenSeconds + kClosed), 4, "out.mp4"},
      {"Raw", "c.264", encoded(kTenSeconds + kClosed), 4},
      {"OpenGop", "c.mp4", encoded(kTenSeconds + kOpen), 4},
      {"OpenGopTransportStream", "c.ts", encoded(kTenSeconds + kOpen), 4, "out.mp4"},
      {"UnevenGaps", "c.mp4", encoded(kTenSeconds + kUneven + kClosed), 4, "out.mp4"},
      {"UnevenGapsOpenGop", "c.mkv", encoded(kTenSeconds + kUneven + kOpen), 4, "out.mp4"},
      {"EditList", "c.mp4", edited(kTenSeconds + kOpen), 4, "out.mp4", {}, {}, 225},
      {"IntraRefresh", "c.mp4", encoded(kTenSeconds + kX264 + kGop + ":intra-refresh=1"), 0},
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

// NVDEC supports HEVC pictures from 144x144 on.
const std::vector<LaneRow>& hevc_rows() {
  static const std::string x265 =
      source("160x160", 10) +
      "-c:v libx265 -preset ultrafast -x265-params log-level=error:pools=1:frame-threads=1:"
      "bframes=3:keyint=48:min-keyint=48:scenecut=0:";
  static const std::vector<LaneRow> rows{
      {"HevcCra", "c.mp4", encoded(x265 + "open-gop=1"), 4, "out.mp4"},
      {"HevcCraTransportStream", "c.ts", encoded(x265 + "open-gop=1"), 4},
      {"HevcCraRaw", "c.265", encoded(x265 + "open-gop=1"), 4},
      {"HevcIdrWithLeadingPictures", "c.mkv", encoded(x265 + "open-gop=0:radl=2"), 4, "out.mp4"},
  };
  return rows;
}

const std::vector<LaneRow>& other_rows() {
  static const std::vector<LaneRow> rows{
      {"Mpeg2", "c.ts", encoded(kTenSeconds + "-c:v mpeg2video -g 15 -bf 2"), 4},
      {"MotionJpeg", "c.avi", encoded(kTenSeconds + "-c:v mjpeg"), 6},
      {"Vp9", "c.webm",
       encoded(kTenSeconds + "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 48"), 4, "out.mp4"},
  };
  return rows;
}

// If a stream is cut off, FFmpeg with several threads reports damage of the last picture only
// sometimes.
const std::vector<LaneRow>& broken_rows() {
  static const std::vector<LaneRow> rows{
      {"LostPicture",
       "c.mp4",
       damaged(kTenSeconds + kClosed, 0),
       4,
       "out.avi",
       {},
       {},
       200,
       1,
       false},
      {"DamagedOpenGop",
       "c.mp4",
       damaged(kTenSeconds + kOpenToDamage, 100),
       4,
       "out.avi",
       {},
       {},
       200,
       1,
       false},
      // The header of one packet is damaged. From this packet on, FFmpeg uses decoding stamps.
      {"LostHeader", "c.ts", damaged(kTenSeconds + kClosed, 40), 4, "out.avi", {}, {}, 200, 1},
      {"LostHeaderAtTheBegin",
       "c.ts",
       damaged(kTenSeconds + kClosed, 0),
       4,
       "out.mp4",
       {},
       {},
       200,
       1},
      {"CutOff",
       "c.mp4",
       cut_off(kTenSeconds + kOpen + "-movflags +faststart"),
       3,
       "out.mp4",
       {},
       {},
       150,
       1,
       false},
      {"CutOffTransportStream",
       "c.ts",
       cut_off(kTenSeconds + kClosed),
       3,
       "out.avi",
       {},
       {},
       150,
       1},
  };
  return rows;
}

const std::vector<LaneRow>& range_rows() {
  static const std::vector<LaneRow> rows{
      {"Range", "c.mp4", encoded(kTenSeconds + kClosed), 2, "out.mp4", 2.5, 8.1, 140},
      {"RangeOpenGop", "c.mp4", encoded(kTenSeconds + kOpen), 2, "out.avi", 2.5, 8.1, 140},
      {"RangeFromTheBegin", "c.mp4", encoded(kTenSeconds + kOpen), 3, "out.mp4", {}, 7.7, 192},
      {"RangeToTheEnd", "c.mkv", encoded(kTenSeconds + kOpen), 3, "out.mp4", 3.3, {}, 167},
  };
  return rows;
}

const std::vector<LaneRow>& sound_rows() {
  static const std::vector<LaneRow> rows{
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

void expect_as_one_lane(const LaneRow& row, const fs::path& folder, pipeline::Backend& backend,
                        std::initializer_list<int> lanes,
                        const std::function<void(pipeline::JobOptions&)>& change) {
  row.make(folder / row.file);
  for (const bool with_video : {false, true}) {
    SCOPED_TRACE(with_video ? "with video" : "without video");
    pipeline::JobOptions options = job_of(row, folder, with_video);
    change(options);
    const Told one = run_on_lanes(options, 1, backend);
    EXPECT_EQ(one.run.result.resources.cuts, 0);
    if (!row.is_whole) {
      EXPECT_FALSE(one.run.result.ledger.intact());
    }
    EXPECT_GE(std::ssize(one.run.records), row.frames);
    for (const int count : lanes) {
      SCOPED_TRACE(std::to_string(count) + " lanes");
      const Told found = run_on_lanes(options, count, backend);
      expect_same(found, one);
      EXPECT_EQ(found.run.result.resources.cuts, row.cuts);
      EXPECT_EQ(found.run.result.resources.lanes.count, count);
      EXPECT_EQ(found.run.result.resources.lanes.why_one, "");
    }
  }
}

}  // namespace facepipe::test
