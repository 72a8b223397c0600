// Packets of video: a stream that is cut into segments loses no packet.
//
// The input's bytes are the codec, the length of the header (extradata), the header, and then
// packets: flags, two bytes with the length and the number of repetitions, and the packet.
#include "video/bitstream/segments.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/fuzz/targets.h"
#include "video/bitstream/codec_headers.h"

namespace facepipe::fuzz {
namespace {

constexpr std::array kCodecs{AV_CODEC_ID_H264,       AV_CODEC_ID_HEVC,  AV_CODEC_ID_MPEG2VIDEO,
                             AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MJPEG, AV_CODEC_ID_VP9,
                             AV_CODEC_ID_MPEG4,      AV_CODEC_ID_H261};
constexpr std::int64_t kMostPackets = 200;

video::UniqueCodecParameters parameters_in(Pieces& pieces) {
  video::UniqueCodecParameters parameters(avcodec_parameters_alloc());
  if (!parameters) throw std::bad_alloc();
  const std::uint8_t codec = pieces.byte();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = kCodecs[codec % kCodecs.size()];
  parameters->video_delay = codec >> 5U;
  parameters->width = parameters->height = 64;
  video::set_header(*parameters, pieces.take(pieces.byte()));
  return parameters;
}

/// Counts the packets that a segmenter gets and returns.
class Stream {
 public:
  explicit Stream(const AVCodecParameters& parameters) : segmenter_(parameters) {}

  void send(Bytes data, unsigned flags) {
    video::ReadPacket read;
    read.packet = video::new_av_packet();
    if (av_new_packet(read.packet.get(), static_cast<int>(data.size())) != 0)
      throw std::bad_alloc();
    std::ranges::copy(data, read.packet->data);
    if ((flags & 1U) != 0) read.packet->flags |= AV_PKT_FLAG_KEY;
    const std::int64_t shift = static_cast<std::int64_t>(flags >> 4U) - 4;
    read.packet->pts = (flags & 2U) != 0 ? AV_NOPTS_VALUE : sent_ + shift;
    read.packet->dts = (flags & 4U) != 0 ? AV_NOPTS_VALUE : sent_;
    if ((flags & 8U) != 0 && !data.empty()) {
      std::uint8_t* const header =
          av_packet_new_side_data(read.packet.get(), AV_PKT_DATA_NEW_EXTRADATA, data.size());
      if (header == nullptr) throw std::bad_alloc();
      std::memcpy(header, data.data(), data.size());
    }
    ++sent_;
    segmenter_.send(std::move(read));
    take();
  }

  void end() {
    segmenter_.finish();
    take();
    require(own_ == sent_, "the segments have lost packets, or have too many");
    require(ends_ == segmenter_.segments(), "a segment has no end, or several");
  }

  [[nodiscard]] std::int64_t sent() const { return sent_; }

 private:
  void take() {
    while (const auto packet = segmenter_.next()) {
      require(packet->segment < segmenter_.segments(), "a packet is of no segment");
      if (!packet->read.packet)
        ++ends_;
      else if (!packet->read.decode_only)
        ++own_;
    }
  }

  video::Segmenter segmenter_;
  std::int64_t sent_ = 0;
  std::int64_t own_ = 0;  ///< packets that came in the segment of their picture
  std::int64_t ends_ = 0;
};

}  // namespace

void fuzz_segments(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  Pieces pieces(input);
  const video::UniqueCodecParameters parameters = parameters_in(pieces);
  Stream stream(*parameters);
  while (!pieces.empty() && stream.sent() < kMostPackets) {
    const unsigned flags = pieces.byte();
    const std::size_t length = pieces.two_bytes();
    const Bytes data = pieces.take(length & 0x7FFU);
    for (std::size_t i = 0; i <= length >> 11U; ++i) stream.send(data, flags);
  }
  stream.end();
}

}  // namespace facepipe::fuzz
