// Matches video packets with frames, and so finds lost and damaged pictures one by one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "core/timing.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Counts frames of the input and of the output, which were matched one by one.
struct FrameLedger {
  std::int64_t packets = 0;  ///< video packets that should be shown; a pair of fields counts once
  std::int64_t decoded = 0;  ///< frames that came out of the decoder
  std::int64_t lost = 0;     ///< packets without a frame
  std::int64_t damaged = 0;  ///< frames that the decoder flagged
  std::int64_t written = 0;  ///< frames in the output
  bool ended_early = false;  ///< the container promised more than there was
  [[nodiscard]] bool intact() const { return lost == 0 && damaged == 0 && !ended_early; }
  /// Adds the counts of another part of the input.
  FrameLedger& operator+=(const FrameLedger& part);
};

/// Keeps one entry for every video packet until its frame has come. Not thread-safe.
class Ledger {
 public:
  /// What is known of a packet when its frame comes.
  struct Entry {
    std::int64_t duration = 0;
    bool shown = true;  ///< false: AV_PKT_FLAG_DISCARD, outside of the chosen range, a second
                        ///< field, or a packet that says that nothing changes
    FrameTimes times;   ///< read, and the beginning of decode
    std::int64_t segment = 0;  ///< as ReadPacket::segment
  };

  /// Enters a packet that goes to the decoder. Returns the tag to send with it, which is never 0.
  std::int64_t enter(const Entry& packet);

  /// Finds the packet of a decoded frame and removes it. Returns nullopt for an unknown tag (a
  /// decoder may make two frames of one packet).
  std::optional<Entry> strike_off(std::int64_t tag);

  /// Returns whether frames of packets are still to come, or lost.
  [[nodiscard]] bool has_open() const { return !open_.empty(); }

  /// Adds to the duration of the packet that was entered last, because its second field came in a
  /// packet of its own.
  void extend_last(std::int64_t duration);

  /// Corrects the counts if the frame of `entry` is shown, or not, in contrast to its packet's
  /// stamp.
  void correct(const Entry& entry, bool shown);

  /// Tells that the packet has no frame of its own. Does nothing if its frame has come.
  void leave_out(std::int64_t tag);

  /// Counts a frame that the user will see, for a segment.
  void count_frame(bool damaged, std::int64_t segment = 0);

  /// Returns the counts of all segments except `without`. Valid when everything has been decoded:
  /// what is still open is lost.
  [[nodiscard]] FrameLedger totals(const std::set<std::int64_t>& without = {}) const;

 private:
  std::map<std::int64_t, Entry> open_;
  std::int64_t last_tag_ = 0;
  std::map<std::int64_t, FrameLedger> segments_;
};

}  // namespace facepipe::video
