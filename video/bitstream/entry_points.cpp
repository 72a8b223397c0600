#include "video/bitstream/entry_points.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "video/bitstream/packet_bytes.h"

namespace facepipe::video {
namespace {

int properties_of(AVCodecID codec) {
  const AVCodecDescriptor* known = avcodec_descriptor_get(codec);
  return known != nullptr ? known->props : 0;
}

/// Returns whether a packet has a sequence header. Such a header contains everything that MPEG-1
/// and MPEG-2 need for decoding, also the matrices (ISO/IEC 13818-2, 6.2.2.1).
bool has_sequence_header(Bytes packet) {
  NalReader reader(packet, {});
  while (const std::optional<Bytes> unit = reader.next())
    if (unit->front() == 0xB3) return true;
  return false;
}

/// Reads a number of an SEI message: the sum of bytes of 255 and a smaller last byte.
std::uint32_t sei_number(RbspReader& reader) {
  std::uint32_t sum = 0;
  std::uint32_t byte = 255;
  while (byte == 255 && !reader.failed()) {
    byte = reader.bits(8);
    sum += byte;
  }
  return sum;
}

/// Returns whether a unit of H.264's SEI messages promises exact pictures from here on.
bool promises_recovery(Bytes sei) {
  constexpr std::uint32_t kRecoveryPoint = 6;
  RbspReader reader(sei.subspan(1));
  while (!reader.failed()) {
    const std::uint32_t type = sei_number(reader);
    const std::uint32_t size = sei_number(reader);
    if (type != kRecoveryPoint || reader.failed()) {
      reader.skip_bits(std::uint64_t{size} * 8);
      continue;
    }
    const bool at_once = reader.exp_golomb() == 0;
    const bool exact = reader.bits(1) == 1;
    return at_once && exact && !reader.failed();
  }
  return false;
}

/// Returns whether a slice of H.264 has type I. Two numbers mean this type (H.264 table 7-6).
bool is_i_slice(Bytes slice) {
  RbspReader reader(slice.subspan(1));
  static_cast<void>(reader.exp_golomb());  // first_mb_in_slice
  const std::uint32_t type = reader.exp_golomb();
  return !reader.failed() && (type == 2 || type == 7);
}

void add_side_data(AVPacket& packet, AVPacketSideDataType type, Bytes bytes) {
  if (bytes.empty() || !side_data_of(packet, type).empty()) return;
  std::uint8_t* data = allocated(av_packet_new_side_data(&packet, type, bytes.size()));
  std::memcpy(data, bytes.data(), bytes.size());
}

void prepend(AVPacket& packet, Bytes bytes) {
  if (bytes.empty()) return;
  const UniqueAVPacket whole = new_av_packet();
  const auto size = static_cast<int>(bytes.size());  // ParameterSets limits the size
  if (packet.size > INT32_MAX / 2 || av_new_packet(whole.get(), size + packet.size) < 0 ||
      av_packet_copy_props(whole.get(), &packet) < 0)
    throw std::bad_alloc();
  std::ranges::copy(bytes, whole->data);
  std::ranges::copy(data_of(packet), whole->data + bytes.size());
  av_packet_unref(&packet);
  av_packet_move_ref(&packet, whole.get());
}

}  // namespace

/// Holds what has been found so far in the units of a packet.
struct EntryPoints::Units {
  bool malformed = false;
  bool recovers = false;  ///< H.264: a recovery point message was found
  int slices = 0;
  int idr_slices = 0;     ///< H.264
  int i_slices = 0;       ///< H.264: I slices without IDR slices
  int first_type = -1;    ///< HEVC: type of the first slice
  bool discards = false;  ///< HEVC: no_output_of_prior_pics_flag

  [[nodiscard]] Entry entry_h264() const {
    if (malformed || slices == 0) return Entry::none;
    if (idr_slices == slices) return Entry::starts_independently;
    return recovers && i_slices == slices ? Entry::by_stamps : Entry::none;
  }
  [[nodiscard]] bool random_access_hevc() const { return first_type >= 16 && first_type <= 21; }
  [[nodiscard]] Entry entry_hevc() const {
    return random_access_hevc() && !discards && !malformed ? Entry::by_type : Entry::none;
  }
  [[nodiscard]] bool leading_hevc() const { return first_type >= 6 && first_type <= 9; }
};

EntryPoints::EntryPoints(const AVCodecParameters& parameters)
    : codec_(parameters.codec_id),
      has_units_(codec_ == AV_CODEC_ID_H264 || codec_ == AV_CODEC_ID_HEVC),
      properties_(properties_of(codec_)),
      fields_(parameters),
      reorder_depth_(parameters.video_delay),
      sets_(codec_) {
  take_extradata(header_of(parameters));
  const bool intra_only = (properties_ & AV_CODEC_PROP_INTRA_ONLY) != 0;
  const bool parsed_for_fields = codec_ == AV_CODEC_ID_MPEG2VIDEO;
  if (!has_units_ && !intra_only && !parsed_for_fields) parser_.emplace(parameters);
}

void EntryPoints::take_extradata(Bytes extradata) {
  if (!has_units_) return;
  const NalExtradata read = read_nal_extradata(codec_, extradata);
  framing_ = read.framing;
  for (const Bytes unit : read.units) sets_.note(unit);
  prelude_ = nullptr;
}

PacketFacts EntryPoints::examine(const AVPacket& packet) {
  follow_side_data(packet);
  // This prelude is made before the packet's own sets are noted, because the packet itself contains
  // them.
  const std::shared_ptr<const Prelude> before = prelude();
  const bool spoilt = sets_.overflowed() || too_deep_;
  PacketFacts facts = has_units_ ? facts_of_units(packet) : facts_without_units(packet);
  facts.pts = packet.pts;
  facts.has_dts = packet.dts != AV_NOPTS_VALUE;
  // If a part of the picture is missing, FFmpeg conceals this with earlier pictures. A decoder that
  // begins here has no earlier pictures.
  const bool torn = (packet.flags & AV_PKT_FLAG_CORRUPT) != 0;
  // With a length field of one byte, a unit has at most 255 bytes. Few parameter sets are so small.
  if (facts.second_field || spoilt || torn || framing_.length_size == 1) facts.entry = Entry::none;
  if (facts.entry != Entry::none) facts.prelude = before;
  return facts;
}

PacketFacts EntryPoints::facts_of_units(const AVPacket& packet) {
  const Units seen = read_units(data_of(packet));
  PacketFacts facts;
  facts.second_field = fields_.is_second_field(packet);
  facts.entry = codec_ == AV_CODEC_ID_HEVC ? seen.entry_hevc() : seen.entry_h264();
  const bool begins_picture = codec_ == AV_CODEC_ID_H264 && seen.slices > 0 && !facts.second_field;
  if (begins_picture) follow_order(facts.entry == Entry::starts_independently);
  if (seen.random_access_hevc()) behind_entry_ = facts.entry != Entry::none;
  facts.leading = behind_entry_ && seen.leading_hevc();
  return facts;
}

/// Checks how many pictures are decoded before this picture and shown after it.
void EntryPoints::follow_order(bool restarts) {
  constexpr std::size_t kDeepest = 16;  // H.264 A.3.1: max_num_reorder_frames
  if (restarts) orders_.clear();
  const int order = fields_.picture_order();
  const auto later = std::ranges::count_if(orders_, [&](int other) { return other > order; });
  too_deep_ = too_deep_ || later > reorder_depth_;
  orders_.push_back(order);
  if (orders_.size() > kDeepest) orders_.pop_front();
}

void EntryPoints::follow_side_data(const AVPacket& packet) {
  const Bytes extradata = side_data_of(packet, AV_PKT_DATA_NEW_EXTRADATA);
  const Bytes palette = side_data_of(packet, AV_PKT_DATA_PALETTE);
  if (!palette.empty()) palette_.assign(palette.begin(), palette.end());
  if (!extradata.empty()) {
    extradata_.assign(extradata.begin(), extradata.end());
    take_extradata(extradata);
  }
  if (!palette.empty() || !extradata.empty()) prelude_ = nullptr;
}

std::shared_ptr<const Prelude> EntryPoints::prelude() {
  if (!prelude_ || prelude_changes_ != sets_.changes()) {
    prelude_changes_ = sets_.changes();
    prelude_ =
        std::make_shared<const Prelude>(Prelude{sets_.bytes(framing_), extradata_, palette_});
  }
  return prelude_;
}

EntryPoints::Units EntryPoints::read_units(Bytes packet) {
  Units seen;
  NalReader reader(packet, framing_);
  while (const std::optional<Bytes> unit = reader.next()) {
    sets_.note(*unit);
    if (codec_ == AV_CODEC_ID_HEVC)
      note_hevc(*unit, seen);
    else
      note_h264(*unit, seen);
  }
  seen.malformed = reader.malformed();
  return seen;
}

void EntryPoints::note_h264(Bytes unit, Units& seen) const {
  const int type = unit.front() & 31;
  constexpr int kIdr = 5;
  constexpr int kSei = 6;
  if (type == kSei) seen.recovers = seen.recovers || promises_recovery(unit);
  if (type < 1 || type > kIdr) return;  // neither a slice nor a part of a slice
  ++seen.slices;
  if (type == kIdr) ++seen.idr_slices;
  if (type == 1 && is_i_slice(unit)) ++seen.i_slices;
}

void EntryPoints::note_hevc(Bytes unit, Units& seen) const {
  const std::optional<int> type = hevc_type(unit);
  // Slices have types below 32.
  if (!type || *type >= 32 || seen.first_type >= 0) return;
  seen.first_type = *type;
  RbspReader reader(unit.subspan(2));
  reader.skip_bits(1);  // first_slice_segment_in_pic_flag
  seen.discards = reader.bits(1) != 0 || reader.failed();
}

bool EntryPoints::is_mpeg_1_or_2() const {
  return codec_ == AV_CODEC_ID_MPEG1VIDEO || codec_ == AV_CODEC_ID_MPEG2VIDEO;
}

/// Finds all facts except the stamps, which examine() sets for every codec.
PacketFacts EntryPoints::facts_without_units(const AVPacket& packet) {
  PacketFacts facts;
  facts.second_field = fields_.is_second_field(packet);
  const AVCodecParserContext* const parsed = parser_ ? parser_->parse(packet) : fields_.parsed();
  facts.entry = entry_without_units(packet, parsed);
  if (!is_mpeg_1_or_2() || parsed == nullptr || facts.second_field) return facts;
  const bool b = parsed->pict_type == AV_PICTURE_TYPE_B;
  behind_entry_ = facts.entry != Entry::none || (behind_entry_ && b);
  facts.leading = behind_entry_ && b;
  return facts;
}

Entry EntryPoints::entry_without_units(const AVPacket& packet,
                                       const AVCodecParserContext* parsed) const {
  if ((properties_ & AV_CODEC_PROP_INTRA_ONLY) != 0) return Entry::starts_independently;
  if ((packet.flags & AV_PKT_FLAG_KEY) == 0 || codec_ == AV_CODEC_ID_VVC) return Entry::none;
  if (parsed != nullptr &&
      (parsed->key_frame == 0 || (parsed->key_frame < 0 && parsed->pict_type != AV_PICTURE_TYPE_I)))
    return Entry::none;
  if (is_mpeg_1_or_2()) {
    const bool known = parsed != nullptr && has_sequence_header(data_of(packet));
    return known ? Entry::by_type : Entry::none;
  }
  return (properties_ & AV_CODEC_PROP_REORDER) != 0 ? Entry::by_stamps
                                                    : Entry::starts_independently;
}

UniqueAVPacket with_prelude(const AVPacket& packet, const Prelude& prelude) {
  UniqueAVPacket result = reference(packet);
  prepend(*result, prelude.parameter_sets);
  add_side_data(*result, AV_PKT_DATA_NEW_EXTRADATA, prelude.extradata);
  add_side_data(*result, AV_PKT_DATA_PALETTE, prelude.palette);
  return result;
}

}  // namespace facepipe::video
