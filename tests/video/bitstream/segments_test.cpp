// These tests decode the segments of a stream one by one. The pictures, stamps and ledger must
// equal those of one decoder for the whole stream. The table has a row for each way in which
// packets can depend on earlier packets.
#include "video/bitstream/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <ostream>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/extra_data.h"
#include "tests/support/going_on.h"
#include "tests/support/picture_hash.h"
#include "tests/support/temporary_folder.h"
#include "video/read/cpu_decoder.h"
#include "video/read/demuxer.h"
#include "video/read/timeline.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

struct Picture {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::size_t hash = 0;
  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Holds decoded pictures, with their stamps before the timeline changes them, and the decoder's
/// ledger.
struct Decoded {
  std::vector<Picture> pictures;
  video::FrameLedger ledger;

  void append(const Decoded& more) {
    pictures.insert(pictures.end(), more.pictures.begin(), more.pictures.end());
    ledger.packets += more.ledger.packets;
    ledger.decoded += more.ledger.decoded;
    ledger.lost += more.ledger.lost;
    ledger.damaged += more.ledger.damaged;
  }
};

/// Holds a packet of a segment, and its number in the stream.
struct Item {
  std::int64_t ordinal = 0;
  video::ReadPacket read;
};
using Segment = std::vector<Item>;

/// Holds the packets of a stream in memory.
class Stream {
 public:
  explicit Stream(const fs::path& file) : demuxer_(file.string(), {}) {
    while (video::UniqueAVPacket packet = demuxer_.read())
      if (packet->stream_index == demuxer_.video_index()) packets_.push_back(std::move(packet));
  }

  [[nodiscard]] std::vector<video::UniqueAVPacket>& packets() { return packets_; }
  [[nodiscard]] const AVCodecParameters& parameters() const { return *demuxer_.video().codecpar; }

  [[nodiscard]] std::unique_ptr<video::Decoder> open(int threads) {
    video::DecoderOptions options;
    options.threads = threads;
    return video::make_cpu_decoder(demuxer_, options, notices_);
  }

  /// Decodes the whole stream with one decoder.
  [[nodiscard]] Decoded whole() {
    const std::unique_ptr<video::Decoder> decoder = open(1);
    return {decoded(*decoder, all_packets()), decoder->ledger()};
  }

  /// Decodes the whole stream with one decoder, and then again. The second decoder continues with
  /// the codec of the first one, if that is possible.
  [[nodiscard]] Decoded again() {
    GoingOnDecoder before(demuxer_, notices_, nullptr);
    static_cast<void>(decoded(before, all_packets()));
    GoingOnDecoder decoder(demuxer_, notices_, before.take_idle());
    return {decoded(decoder, all_packets()), decoder.ledger()};
  }

  /// Decodes a segment with a decoder that was opened or restarted for this segment.
  [[nodiscard]] static std::vector<Picture> decoded(video::Decoder& decoder,
                                                    const Segment& segment) {
    std::vector<Picture> pictures;
    const auto take = [&] {
      while (const std::optional<video::DecodedPicture> next = decoder.next())
        pictures.push_back({next->coded.pts, next->coded.duration, hash_of(*next->picture)});
    };
    for (const Item& item : segment) {
      decoder.send(item.read);
      take();
    }
    decoder.finish();
    take();
    return pictures;
  }

  [[nodiscard]] Decoded by_fresh_decoders(const std::vector<Segment>& segments) {
    Decoded all;
    for (const Segment& segment : segments) {
      const std::unique_ptr<video::Decoder> decoder = open(1);
      std::vector<Picture> pictures = decoded(*decoder, segment);
      all.append({std::move(pictures), decoder->ledger()});
    }
    return all;
  }

  /// Decodes the segments from the last one to the first one with one decoder. Returns the pictures
  /// in the order of the stream.
  [[nodiscard]] Decoded by_one_decoder_backwards(const std::vector<Segment>& segments) {
    return backwards(*open(2), segments);
  }
  [[nodiscard]] Decoded by_one_that_goes_on(const std::vector<Segment>& segments) {
    GoingOnDecoder decoder(demuxer_, notices_, nullptr);
    return backwards(decoder, segments);
  }

  /// Returns the pictures with the stamps that users get.
  [[nodiscard]] std::vector<Picture> timed(std::vector<Picture> pictures) {
    video::Timeline timeline(demuxer_, {}, {}, notices_);
    for (Picture& picture : pictures) {
      const video::Timing timing = timeline.next(picture.pts, picture.duration);
      picture.pts = timing.pts;
      picture.duration = timing.duration;
    }
    return pictures;
  }

 private:
  [[nodiscard]] Segment all_packets() const {
    Segment all;
    for (std::size_t i = 0; i < packets_.size(); ++i)
      all.push_back({static_cast<std::int64_t>(i), {video::reference(*packets_[i]), {}}});
    return all;
  }

  [[nodiscard]] static Decoded backwards(video::Decoder& decoder,
                                         const std::vector<Segment>& segments) {
    Decoded all;
    for (const Segment& segment : std::views::reverse(segments)) {
      std::vector<Picture> pictures = decoded(decoder, segment);
      pictures.insert(pictures.end(), all.pictures.begin(), all.pictures.end());
      all.pictures = std::move(pictures);
      decoder.restart();
    }
    all.ledger = decoder.ledger();
    return all;
  }

  video::Notices notices_{"clip"};
  video::Demuxer demuxer_;
  std::vector<video::UniqueAVPacket> packets_;
};

std::vector<Segment> segments_of(Stream& stream) {
  video::Segmenter segmenter(stream.parameters());
  std::vector<Segment> segments;
  std::vector<bool> ended;
  const auto take = [&] {
    while (std::optional<video::SegmentPacket> next = segmenter.next()) {
      const auto index = static_cast<std::size_t>(next->segment);
      if (index == segments.size()) {
        segments.emplace_back();
        ended.push_back(false);
      }
      ASSERT_LT(index, segments.size());
      EXPECT_FALSE(ended[index]) << "segment " << index;
      if (next->read.packet)
        segments[index].push_back({next->ordinal, std::move(next->read)});
      else
        ended[index] = true;
    }
  };
  for (const video::UniqueAVPacket& packet : stream.packets()) {
    segmenter.send({video::reference(*packet), {}});
    take();
  }
  segmenter.finish();
  take();
  EXPECT_EQ(std::ranges::count(ended, false), 0);
  EXPECT_EQ(segmenter.segments(), std::ssize(segments));
  return segments;
}

/// Names ways in which the rules for segments could be wrong. For each mutation, at least one row
/// of the table must fail.
enum class Mutation {
  no_run_on,  ///< a segment's packets end where the next segment begins
  no_sets,    ///< the segment's first packet gets no parameter sets
  key_flag,   ///< cuts only at key frames, at least kShortestSegment packets apart
  i_picture,  ///< cuts at I pictures, at least kShortestSegment packets apart
};

/// Cuts at packets that have the key flag or, with i_picture, that are I pictures according to
/// FFmpeg's parser.
class NaiveCutter {
 public:
  NaiveCutter(const AVCodecParameters& parameters, Mutation mutation)
      : mutation_(mutation),
        parser_(av_parser_init(parameters.codec_id)),
        context_(video::new_codec_context(nullptr)) {
    avcodec_parameters_to_context(context_.get(), &parameters);
    if (parser_) parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
  }

  bool cuts_at(const AVPacket& packet) {
    if (mutation_ == Mutation::key_flag || !parser_) return (packet.flags & AV_PKT_FLAG_KEY) != 0;
    std::uint8_t* data = nullptr;
    int size = 0;
    av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size,
                     packet.pts, packet.dts, packet.pos);
    return parser_->pict_type == AV_PICTURE_TYPE_I;
  }

 private:
  Mutation mutation_;
  video::UniqueParser parser_;
  video::UniqueCodecContext context_;
};

std::vector<Segment> naive_segments(Stream& stream, Mutation mutation) {
  NaiveCutter cutter(stream.parameters(), mutation);
  std::vector<Segment> segments(1);
  for (std::size_t i = 0; i < stream.packets().size(); ++i) {
    const AVPacket& packet = *stream.packets()[i];
    const bool cut = cutter.cuts_at(packet);
    if (cut && std::ssize(segments.back()) >= video::kShortestSegment) segments.emplace_back();
    segments.back().push_back({static_cast<std::int64_t>(i), {video::reference(packet), {}}});
  }
  return segments;
}

std::vector<Segment> mutated(Stream& stream, Mutation mutation) {
  if (mutation == Mutation::key_flag || mutation == Mutation::i_picture)
    return naive_segments(stream, mutation);
  std::vector<Segment> segments = segments_of(stream);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Segment& segment = segments[i];
    if (mutation == Mutation::no_sets) {
      const auto ordinal = static_cast<std::size_t>(segment.front().ordinal);
      segment.front().read.packet = video::reference(*stream.packets()[ordinal]);
    } else if (i + 1 < segments.size()) {
      const std::int64_t end = segments[i + 1].front().ordinal;
      std::erase_if(segment, [&](const Item& item) { return item.ordinal >= end; });
    }
  }
  return segments;
}

/// Says where the first list begins to differ from the second, or returns "" if they are equal.
std::string difference(const std::vector<Picture>& found, const std::vector<Picture>& expected) {
  if (found == expected) return {};
  const auto at = std::ranges::mismatch(found, expected).in1 - found.begin();
  return std::to_string(found.size()) + " pictures of " + std::to_string(expected.size()) +
         ", differ from number " + std::to_string(at) + " on";
}

std::string difference(const video::FrameLedger& found, const video::FrameLedger& expected) {
  const auto numbers = [](const video::FrameLedger& ledger) {
    return std::to_string(ledger.packets) + " packets, " + std::to_string(ledger.decoded) +
           " decoded, " + std::to_string(ledger.lost) + " lost, " + std::to_string(ledger.damaged) +
           " damaged";
  };
  if (numbers(found) == numbers(expected)) return {};
  return numbers(found) + " instead of " + numbers(expected);
}

void expect_exact(Stream& stream, const Decoded& found, const Decoded& whole) {
  EXPECT_EQ(difference(stream.timed(found.pictures), stream.timed(whole.pictures)), "");
  EXPECT_EQ(difference(found.pictures, whole.pictures), "") << "before the timeline";
  EXPECT_EQ(difference(found.ledger, whole.ledger), "");
}

void expect_exact(Stream& stream, const std::vector<Segment>& segments, const Decoded& whole) {
  EXPECT_FALSE(whole.pictures.empty());
  {
    SCOPED_TRACE("a fresh decoder for each segment");
    expect_exact(stream, stream.by_fresh_decoders(segments), whole);
  }
  {
    SCOPED_TRACE("one decoder, the last segment first");
    expect_exact(stream, stream.by_one_decoder_backwards(segments), whole);
  }
  {
    SCOPED_TRACE("one that goes on, the last segment first");
    expect_exact(stream, stream.by_one_that_goes_on(segments), whole);
  }
  SCOPED_TRACE("the stream a second time");
  expect_exact(stream, stream.again(), whole);
}

const std::string kSource = "-f lavfi -i testsrc2=s=128x96:r=25:d=";
const std::string k240 = kSource + "9.6 ";
const std::string kX264 = "-c:v libx264 -preset veryfast -threads 1 -bf 3 -x264-params ";
const std::string kGop = "keyint=48:min-keyint=48:scenecut=0";
const std::string kOpen = kX264 + kGop + ":open-gop=1:b-adapt=0";
const std::string kX265 =
    "-c:v libx265 -preset ultrafast -bf 3 -x265-params log-level=none:" + kGop;

using Make = std::function<void(const fs::path& clip)>;

Make encoded(const std::string& arguments) {
  return [arguments](const fs::path& clip) { ffmpeg(arguments, clip); };
}

/// Makes a clip with the arguments `first`, and copies it with ffmpeg's options `before` and
/// `behind` the input. CLIP in them is replaced by the clip's name.
Make copied(const std::string& first, const std::string& extension, const std::string& before,
            const std::string& behind) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    const fs::path made = folder / ("first" + extension);
    ffmpeg(first, made);
    ffmpeg(before + " -i " + made.string() + " -c copy " + behind, clip);
  };
}

/// Makes a transport stream whose reception began late, so that the first 40 packets of its video
/// are missing.
void tuned_in(const fs::path& clip) {
  ffmpeg(k240 + kOpen, clip);
  constexpr std::size_t kTransportPacket = 188;
  std::string bytes = read_file(clip);
  bytes.erase(0, bytes.size() / kTransportPacket / 7 * kTransportPacket);
  std::ofstream(clip, std::ios::binary | std::ios::trunc) << bytes;
}

/// Joins two streams with different parameter sets of the same numbers. Each stream contains its
/// sets once, at its beginning.
void changed_sets(const fs::path& raw) {
  const TemporaryFolder folder;
  std::string bytes;
  for (const std::string entropy : {"1", "0"}) {
    const fs::path made = folder / "made.264";
    const fs::path sets = folder / "sets.264";
    const fs::path slices = folder / "slices.264";
    ffmpeg(kSource + "4.8 -c:v libx264 -preset veryfast -threads 1 -bf 0 -x264-params cabac=" +
               entropy + ":" + kGop,
           made);
    ffmpeg("-i " + made.string() + " -c copy -frames:v 1 -bsf:v filter_units=pass_types=7-8", sets);
    ffmpeg("-i " + made.string() + " -c copy -bsf:v filter_units=remove_types=6-8", slices);
    bytes += read_file(sets) + read_file(slices);
  }
  std::ofstream(raw, std::ios::binary) << bytes;
}

void changed_sets_with_lengths(const fs::path& clip) {
  const TemporaryFolder folder;
  changed_sets(folder / "raw.264");
  ffmpeg("-r 25 -i " + (folder / "raw.264").string() + " -c copy", clip);
}

/// Makes two clips and joins their bytes, without the first `skipped` bytes of the second.
Make joined(const std::string& first, const std::string& second, std::size_t skipped) {
  return [=](const fs::path& clip) {
    const TemporaryFolder folder;
    const fs::path made = folder / ("second" + clip.extension().string());
    ffmpeg(first, clip);
    ffmpeg(second, made);
    std::ofstream(clip, std::ios::binary | std::ios::app) << read_file(made).substr(skipped);
  };
}

/// Describes a clip for one way in which packets depend on earlier packets.
struct Row {
  const char* name;
  const char* file;
  Make make;
  int cuts;                          ///< exact number of cuts, which proves that the clip is cut
  std::vector<Mutation> fails = {};  ///< mutations that lose or change pictures
};

using enum Mutation;

const std::vector<Row>& h264_rows() {
  static const std::vector<Row> all{
      {"ClosedGop", "c.mp4", encoded(k240 + kX264 + kGop), 4},
      {"ClosedGopRaw", "c.264", encoded(k240 + kX264 + kGop), 4},
      {"OpenGop", "c.mp4", encoded(k240 + kOpen), 4, {no_run_on, key_flag, i_picture}},
      {"OpenGopTransportStream",
       "c.ts",
       encoded(k240 + kOpen),
       4,
       {no_run_on, key_flag, i_picture}},
      {"OpenGopMatroska", "c.mkv", encoded(k240 + kOpen), 4, {no_run_on, key_flag, i_picture}},
      {"OpenGopWithoutIndex",
       "c.mkv",
       encoded(k240 + kOpen + " -live 1"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"OpenGopVariableRate",
       "c.mkv",
       encoded(k240 + "-vf select=gt(mod(n\\,7)\\,1) -fps_mode vfr " + kOpen),
       2,
       {no_run_on, key_flag, i_picture}},
      {"OpenGopEditList",
       "c.mp4",
       copied(k240 + kOpen, ".mp4", "-ss 1", ""),
       4,
       {no_run_on, key_flag, i_picture}},
      {"OpenGopTunedIn", "c.ts", tuned_in, 3, {no_run_on, key_flag, i_picture}},
      {"OpenGopRaw", "c.264", encoded(k240 + kOpen), 0, {key_flag, i_picture}},
      {"InterlacedTinyLastPart",
       "c.mp4",
       encoded(kSource + "7.76 -flags +ilme+ildct " + kOpen),
       3,
       {no_run_on, key_flag, i_picture}},
  };
  return all;
}

const std::vector<Row>& difficult_h264_rows() {
  static const std::vector<Row> all{
      {"IntraRefresh", "c.mp4", encoded(k240 + kX264 + kGop + ":intra-refresh=1"), 0, {key_flag}},
      // Each flash of two pictures begins with an I picture, but later pictures refer to pictures
      // before the flash.
      {"IPicturesThatAreNoEntries",
       "c.mp4",
       encoded(k240 + "-vf negate=enable='between(mod(n\\,80)\\,40\\,41)' " + kX264 +
               "keyint=120:min-keyint=75:scenecut=40:bframes=0:ref=8"),
       2,
       {i_picture}},
      {"SetsChangeOnce", "c.264", changed_sets, 3, {no_sets, key_flag, i_picture}},
      {"SetsChangeOnceWithLengths",
       "c.mkv",
       changed_sets_with_lengths,
       3,
       {no_sets, key_flag, i_picture}},
      // The second file's header of 13 bytes is left out, so the decoder gets its extradata as side
      // data of a packet.
      {"ExtradataChanges",
       "c.flv",
       joined(kSource + "4.8 " + kX264 + kGop + ":cabac=1",
              kSource + "4.8 " + kX264 + kGop + ":cabac=0:ref=1", 13),
       3,
       {no_sets, key_flag, i_picture}},
      // At one key frame the clip isn't cut, because the stamps jump back soon after it.
      {"StampsStartAnew",
       "c.ts",
       joined(kSource + "4.8 " + kOpen, kSource + "4.8 " + kOpen, 0),
       3,
       {no_run_on, key_flag, i_picture}},
  };
  return all;
}

const std::vector<Row>& hevc_and_mpeg_rows() {
  static const std::vector<Row> all{
      {"HevcOpenGop", "c.mp4", encoded(k240 + kX265), 4, {no_run_on, key_flag, i_picture}},
      {"HevcOpenGopTransportStream",
       "c.ts",
       encoded(k240 + kX265),
       4,
       {no_run_on, key_flag, i_picture}},
      {"HevcOpenGopRaw", "c.265", encoded(k240 + kX265), 4, {no_run_on, key_flag, i_picture}},
      {"HevcLeadingDecodable",
       "c.mp4",
       encoded(k240 + kX265 + ":open-gop=0:radl=2"),
       4,
       {no_run_on}},
      {"HevcClosedGop", "c.mkv", encoded(k240 + kX265 + ":open-gop=0"), 4},
      {"Mpeg2",
       "c.ts",
       encoded(k240 + "-c:v mpeg2video -g 15 -bf 2"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"Mpeg2ProgramStream",
       "c.mpg",
       encoded(k240 + "-c:v mpeg2video -g 15 -bf 2"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"Mpeg2Raw",
       "c.m2v",
       encoded(k240 + "-c:v mpeg2video -g 15 -bf 2"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"Mpeg2DecodingStamps",
       "c.avi",
       encoded(k240 + "-c:v mpeg2video -g 15"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"Mpeg4",
       "c.mp4",
       encoded(k240 + "-c:v mpeg4 -g 15 -bf 2"),
       4,
       {no_run_on, key_flag, i_picture}},
      {"Mpeg4WithoutStamps",
       "c.avi",
       encoded(k240 + "-c:v mpeg4 -g 15 -bf 2"),
       0,
       {key_flag, i_picture}},
  };
  return all;
}

const std::vector<Row>& other_rows() {
  static const std::vector<Row> all{
      {"Vp9", "c.webm", encoded(k240 + "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 48"), 4},
      {"Av1", "c.mp4", encoded(k240 + "-c:v libsvtav1 -preset 12 -g 48"), 4},
      {"Av1OpenGop",
       "c.mp4",
       encoded(k240 + "-c:v libsvtav1 -preset 12 -g 48 -svtav1-params irefresh-type=1"),
       0,
       {i_picture}},
      // In H.261, each picture has the key flag.
      {"H261", "c.mkv", encoded(k240 + "-s 176x144 -c:v h261 -g 48"), 0, {key_flag, i_picture}},
      {"Vp8", "c.webm", encoded(k240 + "-c:v libvpx -deadline realtime -cpu-used 8 -g 48"), 4},
      {"Ffv1", "c.mkv", encoded(k240 + "-c:v ffv1 -g 48"), 4},
      {"Mjpeg", "c.mkv", encoded(k240 + "-c:v mjpeg"), 6},
      {"Palette",
       "c.avi",
       encoded(k240 + "-pix_fmt pal8 -c:v rawvideo"),
       6,
       {no_sets, key_flag, i_picture}},
  };
  return all;
}

class SegmentRows : public testing::TestWithParam<Row> {};

TEST_P(SegmentRows, AreExactAndNeedWhatTheyNeed) {
  const Row& row = GetParam();
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  row.make(folder / row.file);
  Stream stream(folder / row.file);
  const Decoded whole = stream.whole();
  const std::vector<Segment> segments = segments_of(stream);
  EXPECT_EQ(std::ssize(segments), row.cuts + 1);
  expect_exact(stream, segments, whole);
  // This checks the row itself: a mutation must change the pictures exactly if the row lists it
  // in `fails`.
  for (const Mutation mutation : {no_run_on, no_sets, key_flag, i_picture}) {
    SCOPED_TRACE("mutation " + std::to_string(static_cast<int>(mutation)));
    const Decoded found = stream.by_fresh_decoders(mutated(stream, mutation));
    const std::string differs = difference(found.pictures, whole.pictures);
    EXPECT_EQ(!differs.empty(), std::ranges::count(row.fails, mutation) > 0) << differs;
  }
}

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string name_of(const testing::TestParamInfo<Row>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(H264, SegmentRows, testing::ValuesIn(h264_rows()), name_of);
INSTANTIATE_TEST_SUITE_P(DifficultH264, SegmentRows, testing::ValuesIn(difficult_h264_rows()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(HevcAndMpeg, SegmentRows, testing::ValuesIn(hevc_and_mpeg_rows()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Others, SegmentRows, testing::ValuesIn(other_rows()), name_of);

// The header doesn't state the reorder depth, and probing reads no B pictures. Behind cuts at IDR
// pictures, each new decoder would lose one more picture than a single decoder, so the stream isn't
// cut.
TEST(Segments, EndWhereDecodersHaveToLearnTheReorderDepth) {
  const TemporaryFolder folder;
  ffmpeg(kSource + "7.68 " + kX264 + kGop, folder / "c.mp4");
  Stream stream(folder / "c.mp4");
  EXPECT_EQ(segments_of(stream).size(), 4U);
  const video::UniqueCodecParameters parameters = video::new_codec_parameters();
  ASSERT_GE(avcodec_parameters_copy(parameters.get(), &stream.parameters()), 0);
  parameters->video_delay = 0;
  video::Segmenter segmenter(*parameters);
  for (const video::UniqueAVPacket& packet : stream.packets()) {
    segmenter.send({video::reference(*packet), {}});
    while (segmenter.next()) {
    }
  }
  EXPECT_EQ(segmenter.segments(), 1);
}

/// These files come from encoders that the project doesn't have. Some are conformance streams, and
/// some are damaged.
TEST(Segments, OfForeignStreamsAreExact) {
  const fs::path folder = extra_data() / "h264-streams";
  if (!fs::exists(folder)) GTEST_SKIP() << folder << " isn't there";
  int cut = 0;
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
    SCOPED_TRACE(file.path());
    std::optional<Stream> opened;
    try {
      opened.emplace(file.path());
    } catch (const Error&) {
      continue;  // the file contains nothing that can be decoded
    }
    Stream& stream = *opened;
    const std::vector<Segment> segments = segments_of(stream);
    if (segments.size() == 1) continue;
    expect_exact(stream, segments, stream.whole());
    ++cut;
  }
  RecordProperty("cut", cut);
  EXPECT_GT(cut, 0);
}

}  // namespace
}  // namespace facepipe::test
