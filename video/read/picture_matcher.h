// Matches the pictures that a codec gives with the packets that they were in.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "video/bitstream/read_packet.h"
#include "video/bitstream/unchanged.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_maker.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/read/ledger.h"
#include "video/read/timeline.h"

namespace facepipe::video {

/// Gives each packet a tag, and finds the packet of a picture by it. So it knows the picture's
/// segment, whether the picture is shown, its stamp, and what was lost. Its eight members belong
/// together because both steps, entering and matching, read and write them. Used by the decoder's
/// thread, except for past_end() and in_range().
class PictureMatcher {
 public:
  /// The tag of a picture that only pushes other pictures out of the codec.
  static constexpr std::int64_t kNoPacket = -1;

  /// @param demuxer, notices  outlive it
  PictureMatcher(const Demuxer& demuxer, std::optional<double> start_s, std::optional<double> end_s,
                 Notices& notices);

  /// Enters a packet that goes to the codec. Returns its tag.
  /// @param second_field  the packet has no picture of its own
  [[nodiscard]] std::int64_t enter(const ReadPacket& read, bool second_field);
  /// The last packet that was entered got the second field of its picture.
  void join_field(const ReadPacket& second);
  /// The codec gave nothing for the packet, because nothing changes with it.
  void leave_out(std::int64_t tag) { ledger_.leave_out(tag); }

  /// The picture with its place in the stream; nullopt if it isn't shown.
  /// @param is_damaged  asked about a picture that is shown
  [[nodiscard]] std::optional<DecodedPicture> match(
      UniqueAVFrame picture, const std::function<bool(const AVFrame&)>& is_damaged);

  /// Forgets all packets that were entered, but keeps what the ledger counts.
  void restart();
  /// Call it after restart(): forgets what the ledger counts, too.
  void begin_again();

  /// Pictures of packets are still to come, or lost.
  [[nodiscard]] bool has_open() const { return ledger_.has_open(); }
  /// The codec has been sent packets whose pictures are dropped (ReadPacket::decode_only).
  [[nodiscard]] bool has_decode_only() const { return !decode_only_.empty(); }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

  /// Decoder::past_end() and Decoder::in_range(). Any thread may ask.
  [[nodiscard]] bool past_end(const AVPacket& packet) const;
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const;

 private:
  [[nodiscard]] std::int64_t stamp_of(const AVFrame& picture) const;

  const Demuxer& demuxer_;
  Timeline timeline_;
  UnchangedPackets unchanged_;
  Ledger ledger_;
  std::int64_t segment_ = 0;            // of the last picture
  std::int64_t sent_segment_ = 0;       // of the last packet
  std::set<std::int64_t> decode_only_;  // tags
  std::atomic<bool> passed_end_ = false;
};

}  // namespace facepipe::video
