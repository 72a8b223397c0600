// Finds the packets at which a decoder can begin in the middle of a stream. EntryPoints looks at a
// packet and at earlier packets. CutFinder (cuts.h) also looks at later packets.
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

/// Holds the facts that a decoder must know about all earlier packets if it begins at a packet.
struct Prelude {
  std::vector<std::uint8_t> parameter_sets;  ///< they go before the packet's data
  std::vector<std::uint8_t> extradata;       ///< the last AV_PKT_DATA_NEW_EXTRADATA of a packet
  std::vector<std::uint8_t> palette;         ///< the last AV_PKT_DATA_PALETTE of a packet
  friend bool operator==(const Prelude&, const Prelude&) = default;
};

/// Returns a copy of the packet with the prelude added. The packet's own parameter sets come last,
/// so they replace the prelude's sets. Throws std::bad_alloc.
[[nodiscard]] UniqueAVPacket with_prelude(const AVPacket& packet, const Prelude& prelude);

/// Says whether a decoder can begin at a packet. It can if it gives the same pictures as a decoder
/// that has read all earlier packets. This concerns the packet's picture, and all pictures that
/// follow it both in decoding order and in presentation order.
enum class Entry {
  none,                  ///< it can't, or this is unknown
  starts_independently,  ///< it can, and nothing decoded after the packet is shown before it
  by_type,               ///< it can; PacketFacts::leading marks the packets shown before it
  by_stamps,             ///< it can; pictures shown before it have smaller presentation stamps
};

/// Holds the facts that a packet states about the points where a decoder can begin.
struct PacketFacts {
  Entry entry = Entry::none;
  bool leading = false;               ///< the packet says that it is shown before the last entry
  bool second_field = false;          ///< it completes an earlier packet's picture: no entry
  std::int64_t pts = AV_NOPTS_VALUE;  ///< presentation stamp in the stream's time base
  bool has_dts = false;
  std::shared_ptr<const Prelude> prelude;  ///< for an entry; otherwise nullptr
};

/// Examines the packets of one video stream, in file order. The codec decides what an entry is:
/// * H.264: a picture of IDR slices; or a picture of I slices with a recovery point message that
///   promises exact pictures from here on (recovery_frame_cnt 0, exact_match_flag 1: H.264 D.2.8).
///   A larger count is not enough. x264 made 34 such streams with intra refresh. In 9 of these
///   streams pictures differed, although everything since the previous entry was decoded first.
/// * HEVC: an IRAP picture (NAL types 16 to 21) that doesn't discard earlier pictures
///   (no_output_of_prior_pics_flag).
/// * MPEG-1, MPEG-2: a key frame that comes with a sequence header. B pictures right after it are
///   shown before it.
/// * VVC: none, because this class doesn't keep VVC's parameter sets.
/// * codecs that have only key frames (AV_CODEC_PROP_INTRA_ONLY): every packet.
/// * other codecs: a key frame. If FFmpeg has a parser for the codec, the parser must agree,
///   because FFmpeg's demuxers flag all pictures of H.261 as key frames.
/// A packet is not an entry if the demuxer says that a part of it is missing (AV_PKT_FLAG_CORRUPT).
/// There are no more entries after one of two events. The first is parameter sets that are too
/// large to be kept. The second, in H.264, is pictures that are reordered more deeply than
/// `parameters` say (video_delay). FFmpeg's decoder then learns the depth from the pictures,
/// because the stream's header doesn't say it, and loses some pictures meanwhile. One decoder for
/// the whole stream does this once, but each new decoder would do it again. Only one thread may use
/// it. Packets are not trusted: a malformed packet is not an entry.
class EntryPoints {
 public:
  /// The decoders must be opened with the same `parameters`. Throws std::bad_alloc.
  explicit EntryPoints(const AVCodecParameters& parameters);

  [[nodiscard]] PacketFacts examine(const AVPacket& packet);

  /// Returns the prelude for a decoder that begins at the next packet.
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
  bool has_units_;  // the codec is H.264 or HEVC
  int properties_;  // flags AV_CODEC_PROP_...
  FieldPairs fields_;
  std::optional<PacketParser> parser_;  // nullopt if the packets themselves, or fields_, are enough
  // The last picture that following pictures can lead is an entry. Only then do these pictures
  // count as leading.
  bool behind_entry_ = false;
  int reorder_depth_;       // the reordering depth with which decoders are opened
  std::deque<int> orders_;  // H.264: orders of the last pictures, since an IDR picture
  bool too_deep_ = false;
  NalFraming framing_;
  ParameterSets sets_;
  std::vector<std::uint8_t> extradata_;  // the last extradata in a packet
  std::vector<std::uint8_t> palette_;    // the last palette in a packet
  std::shared_ptr<const Prelude> prelude_;
  std::int64_t prelude_changes_ = -1;  // value of sets_.changes() when prelude_ was made
};

}  // namespace facepipe::video
