// Where a decoder can begin in the midst of a stream, as far as a packet itself tells. What the
// packets behind it must add is in cuts.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "video/bitstream/field_pairs.h"
#include "video/bitstream/nal_units.h"
#include "video/bitstream/packet_parser.h"
#include "video/bitstream/parameter_sets.h"

namespace facepipe::video {

/// What a decoder that begins at a packet must be told of all that came before.
struct Prelude {
  std::vector<std::uint8_t> parameter_sets;  ///< in front of the packet's data
  std::vector<std::uint8_t> extradata;       ///< that came with a packet: AV_PKT_DATA_NEW_EXTRADATA
  std::vector<std::uint8_t> palette;         ///< likewise AV_PKT_DATA_PALETTE
};

/// Another packet like this one, with the prelude. What the packet itself says comes last, and
/// counts. Throws std::bad_alloc.
[[nodiscard]] UniqueAVPacket with_prelude(const AVPacket& packet, const Prelude& prelude);

/// Whether a decoder that begins at a packet gives it, and all that follow in decoding and
/// presentation order, as one does that has read everything before.
enum class Entry {
  none,       ///< it doesn't, or nobody knows
  alone,      ///< it does, and nothing decoded behind it is shown before it
  by_type,    ///< it does; PacketFacts::leading tells what is shown before it
  by_stamps,  ///< it does; what is shown before it has a lesser presentation stamp
};

/// What a packet says of places to begin.
struct PacketFacts {
  Entry entry = Entry::none;
  bool leading = false;               ///< it says itself that it is shown before the last entry
  bool second_field = false;          ///< of a picture that an earlier packet began: no entry
  std::int64_t pts = AV_NOPTS_VALUE;  ///< in the stream's time base
  bool has_dts = false;
  std::shared_ptr<const Prelude> prelude;  ///< of an entry; else nullptr
};

/// Looks at the packets of one video stream, in file order. By codec, an entry is
/// * H.264: a picture of IDR slices; or one of I slices alone, with a recovery point message that
///   promises exact pictures from here on (recovery_frame_cnt 0, exact_match_flag 1: H.264 D.2.8).
///   A greater count won't do: of 34 streams that x264 made so, with intra refresh, pictures of 9
///   differed though all since the entry before was decoded first.
/// * HEVC: an IRAP picture (NAL types 16 to 21) that doesn't throw away pictures before it
///   (no_output_of_prior_pics_flag).
/// * MPEG-1, MPEG-2: a key frame that comes with a sequence header. B pictures right behind it are
///   shown before it.
/// * VVC: none, because its parameter sets aren't followed. Other codecs: a key frame, if
///   FFmpeg's parser, where it has one, says so too: FFmpeg's demuxers flag all pictures of H.261.
/// * codecs that only have key frames (AV_CODEC_PROP_INTRA_ONLY): every packet.
/// No entry is a packet of which the demuxer says that a part is missing (AV_PKT_FLAG_CORRUPT).
/// Behind two things there is no entry any more: parameter sets that are too large to be kept; and,
/// in H.264, pictures that are reordered more deeply than `parameters` say (video_delay). FFmpeg's
/// decoder then learns the depth from the pictures, where the stream's header doesn't tell it, and
/// loses some meanwhile: each new decoder would, where one for the whole stream does it once.
/// Used by one thread. Packets are hostile: a malformed one is no entry.
class EntryPoints {
 public:
  /// `parameters`: as the decoders are opened with. Throws std::bad_alloc.
  explicit EntryPoints(const AVCodecParameters& parameters);

  [[nodiscard]] PacketFacts look_at(const AVPacket& packet);

  /// For a decoder that begins at the next packet.
  [[nodiscard]] std::shared_ptr<const Prelude> prelude();

 private:
  void follow_side_data(const AVPacket& packet);
  void take_extradata(Bytes extradata);
  [[nodiscard]] PacketFacts facts_of_units(const AVPacket& packet);
  void follow_order(bool restarts);
  [[nodiscard]] PacketFacts facts_without_units(const AVPacket& packet);
  [[nodiscard]] Entry entry_without_units(const AVPacket& packet,
                                          const AVCodecParserContext* parsed) const;
  [[nodiscard]] bool is_mpeg_1_or_2() const;
  struct Units;
  [[nodiscard]] Units read_units(Bytes packet);
  void note_h264(Bytes unit, Units& seen) const;
  void note_hevc(Bytes unit, Units& seen) const;

  AVCodecID codec_;
  bool has_units_;  // H.264 and HEVC
  int properties_;  // AV_CODEC_PROP_...
  FieldPairs fields_;
  std::optional<PacketParser> parser_;  // none where the packets, or fields_, tell everything
  bool behind_entry_ = false;  // what leads, leads the last entry, and nothing that is none
  int reorder_depth_;          // that decoders are opened with
  std::deque<int> orders_;     // H.264: of the last pictures, since the last IDR
  bool too_deep_ = false;
  NalFraming framing_;
  ParameterSets sets_;
  std::vector<std::uint8_t> extradata_;  // that a packet brought
  std::vector<std::uint8_t> palette_;    // likewise
  std::shared_ptr<const Prelude> prelude_;
  std::int64_t prelude_changes_ = -1;  // of sets_, when prelude_ was made
};

}  // namespace facepipe::video
