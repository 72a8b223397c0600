// Whole jobs: three lanes do what one lane does, and what is hidden stays hidden.
//
// The input's bytes are choices (1: hide, 2: write a video), the codec, how often the packets come,
// two bytes with the length of the header (extradata), the header, and packets (read_packets()).
#include "pipeline/job.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"
#include "tests/support/all_pictures.h"
#include "tests/support/job.h"
#include "tests/support/packets.h"
#include "tests/support/picture_faces.h"
#include "tests/support/temporary_folder.h"
#include "video/bitstream/codec_headers.h"
#include "video/ffmpeg.h"
#include "video/frames/pictures.h"
#include "video/read/cpu_decoder.h"

namespace facepipe::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCodecs{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC,       AV_CODEC_ID_MPEG4,
                             AV_CODEC_ID_VP8,  AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MJPEG,
                             AV_CODEC_ID_VP9};
constexpr AVRational kTimeBase{1, 25};
constexpr std::size_t kMostPackets = 256;
constexpr std::int64_t kMostPixels = 1 << 16;
/// The side of the region that jobs always hide.
constexpr int kHiddenSide = 16;

/// One packet of the input. See read_packets().
struct GivenPacket {
  unsigned flags = 0;
  int shown_later = 0;
  Bytes data;
};
constexpr unsigned kIsKey = 1;
constexpr unsigned kHasNoTime = 2;
constexpr unsigned kJumps = 4;
constexpr std::int64_t kJump = 1000;

/// Reads packets: a byte of flags, a byte that says how many packets later the picture is shown
/// (from 128 on: earlier), two bytes with the length, and the packet's bytes.
std::vector<GivenPacket> read_packets(Pieces& pieces) {
  std::vector<GivenPacket> packets;
  while (!pieces.empty() && packets.size() < kMostPackets) {
    GivenPacket packet;
    packet.flags = pieces.byte();
    const int later = pieces.byte();
    packet.shown_later = later < 128 ? later : later - 256;
    packet.data = pieces.take(pieces.two_bytes());
    packets.push_back(packet);
  }
  return packets;
}

video::UniqueOutputContext new_output(const fs::path& file) {
  AVFormatContext* output = nullptr;
  video::check_av(avformat_alloc_output_context2(&output, nullptr, "nut", file.c_str()),
                  ErrorKind::internal, "");
  return video::UniqueOutputContext(output);
}

void add_video(AVFormatContext& output, AVCodecID codec, Bytes header) {
  AVStream* const stream = video::allocated(avformat_new_stream(&output, nullptr));
  stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
  stream->codecpar->codec_id = codec;
  stream->codecpar->width = 64;
  stream->codecpar->height = 48;
  stream->codecpar->video_delay = 2;
  stream->time_base = kTimeBase;
  video::set_header(*stream->codecpar, header);
}

/// Writes the packets into a container, as often as `times` says. Returns whether the container can
/// hold them.
bool write_clip(const fs::path& file, AVCodecID codec, Bytes header,
                const std::vector<GivenPacket>& packets, std::size_t times) {
  const video::UniqueOutputContext output = new_output(file);
  add_video(*output, codec, header);
  if (avio_open(&output->pb, file.c_str(), AVIO_FLAG_WRITE) < 0) return false;
  const bool begun = avformat_write_header(output.get(), nullptr) >= 0;
  const AVRational base = output->streams[0]->time_base;
  std::int64_t time = 0;
  for (std::size_t i = 0; begun && i < std::min(times * packets.size(), kMostPackets); ++i) {
    const GivenPacket& given = packets[i % packets.size()];
    const video::UniqueAVPacket packet = test::packet_of(
        {given.data.begin(), given.data.end()}, (given.flags & kIsKey) != 0 ? AV_PKT_FLAG_KEY : 0);
    time += (given.flags & kJumps) != 0 ? kJump : 1;
    packet->dts = time;
    packet->pts = (given.flags & kHasNoTime) != 0 ? AV_NOPTS_VALUE : time + given.shown_later;
    av_packet_rescale_ts(packet.get(), kTimeBase, base);
    // The muxer refuses some times. The job then gets what is left.
    static_cast<void>(av_write_frame(output.get(), packet.get()));
  }
  if (begun) static_cast<void>(av_write_trailer(output.get()));
  avio_closep(&output->pb);
  return begun;
}

/// What a job did, as far as it doesn't depend on the number of lanes. It has no hashes of
/// pictures: FFmpeg leaves parts of some damaged pictures as they were in an earlier use of their
/// memory.
struct Done {
  bool refused = false;
  std::int64_t decoded = 0;
  std::int64_t lost = 0;
  std::int64_t damaged = 0;
  std::vector<std::string> records;
  std::vector<std::int64_t> written;  ///< the times of the output's packets
  friend bool operator==(const Done&, const Done&) = default;
};

std::string text_of(const FrameRecord& record) {
  return std::to_string(record.pts_s) + " s, " + std::to_string(record.size.width) + 'x' +
         std::to_string(record.size.height) + (record.damaged ? ", damaged" : "");
}

std::vector<std::int64_t> times_of_packets(const fs::path& video) {
  std::vector<std::int64_t> times;
  for (const test::FilePacket& packet : test::packets_of(video)) times.push_back(packet.pts);
  return times;
}

/// Says where two lists first differ.
template <typename Entry>
std::string difference(const std::string& what, const std::vector<Entry>& found,
                       const std::vector<Entry>& expected) {
  if (found == expected) return {};
  const auto at = std::ranges::mismatch(found, expected).in1 - found.begin();
  return std::to_string(found.size()) + " of " + std::to_string(expected.size()) + ' ' + what +
         ", which differ from number " + std::to_string(at) + " on; ";
}

std::string difference(const Done& found, const Done& expected) {
  const auto counts = [](const Done& done) {
    return std::string(done.refused ? "refused, " : "") + std::to_string(done.decoded) +
           " decoded, " + std::to_string(done.lost) + " lost, " + std::to_string(done.damaged) +
           " damaged; ";
  };
  return counts(found) + "expected " + counts(expected) +
         difference("records", found.records, expected.records) +
         difference("packets", found.written, expected.written);
}

/// Requires that all samples of the hidden region are equal in each picture of the output.
void require_hidden(const fs::path& output) {
  video::Notices notices(output.string());
  video::Demuxer demuxer(output.string(), {});
  video::DecoderOptions options;
  options.threads = 1;
  const auto decoder = video::make_cpu_decoder(demuxer, options, notices);
  test::all_pictures(demuxer, *decoder, [](const video::DecodedPicture& decoded) {
    const AVFrame& picture = *decoded.picture;
    const auto format = static_cast<AVPixelFormat>(picture.format);
    const auto step = static_cast<std::size_t>(av_pix_fmt_desc_get(format)->comp[0].step);
    const Bytes one(picture.data[0], step);
    for (int y = 0; y < kHiddenSide; ++y)
      for (std::size_t x = 0; x < kHiddenSide; ++x) {
        const Bytes sample(picture.data[0] + y * picture.linesize[0] + x * step, step);
        require(std::ranges::equal(sample, one), "a hidden region shows nothing of the picture");
      }
  });
}

pipeline::JobOptions options_of(const fs::path& clip, const fs::path& output, bool hides) {
  pipeline::JobOptions options = test::default_job(clip, output);
  options.input.max_pixels = kMostPixels;
  options.resources.threads = 1;
  // Several lanes can encode this codec. A region of one colour stays one colour in it, if whole
  // blocks (16x16) lie in the region.
  options.output.encoder.codec = "mjpeg";
  options.output.allow_8bit = true;
  if (hides) {
    options.hide.emplace().regions.hidden = {{"corner", {0, 0, kHiddenSide, kHiddenSide}, {}}};
    options.hide->wants_tracks = true;
  }
  return options;
}

Done run(pipeline::JobOptions options, int lanes) {
  options.resources.lanes = lanes;
  const auto backend = test::picture_backend();
  pipeline::JobObserver observer;
  Done done;
  observer.frame = [&](const FrameRecord& record) {
    require(record.index == std::ssize(done.records), "frames come in order");
    done.records.push_back(text_of(record));
  };
  const auto result = parsed_if([](ErrorKind kind) { return kind != ErrorKind::internal; },
                                [&] { return pipeline::run_job(options, *backend, observer, {}); });
  require(video::live_frames() == 0, "all frames are given back");
  done.refused = !result;
  if (!result) {
    done.records.clear();  // a job can fail at another frame with several lanes
    return done;
  }
  done.decoded = result->ledger.decoded;
  done.lost = result->ledger.lost;
  done.damaged = result->ledger.damaged;
  require(done.decoded == std::ssize(done.records), "each frame is told once");
  if (result->output.empty()) return done;
  done.written = times_of_packets(result->output);
  if (options.hide) require_hidden(result->output);
  return done;
}

}  // namespace

void fuzz_job(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  spdlog::set_level(spdlog::level::off);  // jobs warn of what is broken in their inputs
  Pieces pieces(input);
  const unsigned choices = pieces.byte();
  const AVCodecID codec = kCodecs[pieces.byte() % kCodecs.size()];
  const std::size_t times = pieces.byte();
  const Bytes header = pieces.take(pieces.two_bytes());
  const std::vector<GivenPacket> packets = read_packets(pieces);
  const test::TemporaryFolder folder;
  const fs::path clip = folder / "clip.nut";
  if (!write_clip(clip, codec, header, packets, times)) return;
  const bool hides = (choices & 1U) != 0;
  const bool writes = (choices & 2U) != 0;
  const pipeline::JobOptions options =
      options_of(clip, writes ? folder / "out.mkv" : fs::path(), hides);
  const Done one = run(options, 1);
  const Done three = run(options, 3);
  require(three == one, "three lanes do what one lane does: " + difference(three, one));
}

}  // namespace facepipe::fuzz
