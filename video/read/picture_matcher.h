// Matches the pictures that a codec gives with the packets that contained them.
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

/// Gives each packet a tag, and finds the packet of a picture by the tag. Thus it knows the
/// picture's segment and stamp, whether the picture is shown, and what was lost. Its eight members
/// belong together, because enter() and match() read and write all of them. Only the decoder's
/// thread may use it, except for past_end() and in_range().
class PictureMatcher {
 public:
  /// This tag marks a picture that is sent only to push other pictures out of the codec.
  static constexpr std::int64_t kNoPacket = -1;

  /// @param demuxer, notices  must outlive this object
  PictureMatcher(const Demuxer& demuxer, std::optional<double> start_s, std::optional<double> end_s,
                 Notices& notices);

  /// Registers a packet that goes to the codec. Returns its tag.
  /// @param second_field  true if the packet is a second field, which has no picture of its own
  [[nodiscard]] std::int64_t enter(const ReadPacket& read, bool second_field);
  /// Notes that `second`, a second field, was joined to the packet that was registered last.
  void join_field(const ReadPacket& second);
  /// Notes that the codec gave nothing for the packet, because the packet says that nothing
  /// changes.
  void leave_out(std::int64_t tag) { ledger_.leave_out(tag); }

  /// Returns the picture with its stamps and its segment; nullopt if the picture isn't shown.
  /// @param is_damaged  called with a picture that is shown
  [[nodiscard]] std::optional<DecodedPicture> match(
      UniqueAVFrame picture, const std::function<bool(const AVFrame&)>& is_damaged);

  /// Forgets all registered packets, but keeps the ledger's counts.
  void restart();
  /// Also forgets the ledger's counts. Call it after restart().
  void begin_again();

  /// Returns whether there are packets whose pictures haven't come yet, or are lost.
  [[nodiscard]] bool has_open() const { return ledger_.has_open(); }
  /// Returns whether the codec was sent packets whose pictures are dropped
  /// (ReadPacket::decode_only).
  [[nodiscard]] bool has_decode_only() const { return !decode_only_.empty(); }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

  /// See Decoder::past_end() and Decoder::in_range(). Any thread may call these functions.
  [[nodiscard]] bool past_end(const AVPacket& packet) const;
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const;

 private:
  [[nodiscard]] std::int64_t stamp_of(const AVFrame& picture) const;

  const Demuxer& demuxer_;
  Timeline timeline_;
  UnchangedPackets unchanged_;
  Ledger ledger_;
  std::int64_t segment_ = 0;            // segment of the last picture
  std::int64_t sent_segment_ = 0;       // segment of the last packet
  std::set<std::int64_t> decode_only_;  // tags of packets with ReadPacket::decode_only
  std::atomic<bool> passed_end_ = false;
};

}  // namespace facepipe::video
