// Matches video packets with frames, and so counts lost and damaged pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/timing.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Counts packets of the input and frames of the output, which are matched one by one.
struct FrameLedger {
  std::int64_t packets = 0;  ///< video packets that should be shown; a pair of fields counts once
  std::int64_t decoded = 0;  ///< frames that came out of the decoder
  std::int64_t lost = 0;     ///< packets without a frame
  std::int64_t damaged = 0;  ///< frames that the decoder reported as damaged
  std::int64_t written = 0;  ///< frames in the output
  bool ended_early = false;  ///< the container promised more than the input contained
  /// When the first kMostLostTimes lost frames should be shown, in seconds of the input's time. A
  /// packet without a stamp has no time.
  std::vector<double> lost_at_s{};
  static constexpr std::size_t kMostLostTimes = 4096;
  [[nodiscard]] bool intact() const { return lost == 0 && damaged == 0 && !ended_early; }
  /// Adds the counts of another part of the input.
  FrameLedger& operator+=(const FrameLedger& part);
};

/// Keeps one entry for every video packet until its frame has come. Not thread-safe.
class Ledger {
 public:
  /// Holds the facts about a packet that are needed when its frame comes.
  struct Entry {
    std::int64_t duration = 0;
    /// False for a packet with AV_PKT_FLAG_DISCARD, a packet outside of the chosen range, a second
    /// field, or a packet that says that nothing changes.
    bool shown = true;
    FrameTimes times;          ///< the interval of read, and the beginning of decode
    std::int64_t segment = 0;  ///< as ReadPacket::segment
    /// When its frame should be shown, in seconds; not a number if that is unknown.
    double time_s = std::numeric_limits<double>::quiet_NaN();
  };

  /// Registers a packet that goes to the decoder. Returns the tag to send with the packet, never 0.
  std::int64_t enter(const Entry& packet);

  /// Finds the packet of a decoded frame and removes it. Returns nullopt for an unknown tag,
  /// because a decoder can make two frames from one packet.
  std::optional<Entry> strike_off(std::int64_t tag);

  /// Returns whether there are packets whose frames haven't come yet, or are lost.
  [[nodiscard]] bool has_open() const { return !open_.empty(); }

  /// Adds `duration` to the duration of the packet that was registered last, because the second
  /// field of its picture came in a packet of its own.
  void extend_last(std::int64_t duration);

  /// Corrects the counts if the packet's stamp said wrongly whether the frame of `entry` is shown.
  void correct(const Entry& entry, bool shown);

  /// Notes that the packet has no frame of its own. Does nothing if its frame has come.
  void leave_out(std::int64_t tag);

  /// Counts a frame of `segment` that the user will see.
  void count_frame(bool damaged, std::int64_t segment = 0);

  /// Returns the sum of the counts of all segments except `without`. Valid when everything has been
  /// decoded, because packets without a frame then count as lost.
  [[nodiscard]] FrameLedger totals(const std::set<std::int64_t>& without = {}) const;

 private:
  std::map<std::int64_t, Entry> open_;
  std::int64_t last_tag_ = 0;
  std::map<std::int64_t, FrameLedger> segments_;
};

}  // namespace facepipe::video
