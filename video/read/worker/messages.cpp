#include "video/read/worker/messages.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/limits.h"
#include "core/passing_error.h"
#include "video/bitstream/packet_bytes.h"
#include "video/ffmpeg_compat.h"
#include "video/side_data.h"

namespace facepipe::video {
namespace {

constexpr unsigned kMostStreams = 1000;  // FFmpeg's own limit
constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostErrorBytes = 4096;
constexpr int kMostChannels = 1024;
constexpr int kMostDelay = 16;          // of the frames that are shown later than others
constexpr int kMostCodecs = 0x40000;    // more than FFmpeg's largest number of a codec
constexpr std::size_t kAlignment = 64;  // the widest registers that read pictures

void expect(bool holds, const char* what) {
  if (!holds) throw std::out_of_range(what);
}

// ---- numbers ----

template <typename Packing, typename Fraction>
void pack_fraction(Packing& packing, Fraction& fraction) {
  pack_all(packing, fraction.num, fraction.den);
}

/// Unpacks a time base or a rate, which must be more than 0.
template <typename Fraction>
void unpack_positive(Unpacker& unpacker, Fraction& fraction) {
  pack_fraction(unpacker, fraction);
  expect(fraction.num > 0 && fraction.den > 0, "a fraction that can't be");
}

/// Unpacks another fraction of a header. A negative one becomes 0/1, which means unknown.
void unpack_fraction(Unpacker& unpacker, AVRational& fraction) {
  pack_fraction(unpacker, fraction);
  if (fraction.num < 0 || fraction.den < 0) fraction = {0, 1};
}

/// Packs an enumeration as a number.
template <typename Enumeration>
void pack_number(Packer& packer, Enumeration value) {
  packer(static_cast<int>(value));
}

/// Unpacks an enumeration whose numbers are at least `first` and less than `end`.
template <typename Enumeration>
void unpack_number(Unpacker& unpacker, Enumeration& value, int first, int end) {
  int number = 0;
  unpacker(number);
  expect(number >= first && number < end, "an enumeration that can't be");
  value = static_cast<Enumeration>(number);
}

/// Unpacks an enumeration of a stream's header, whose unknown numbers don't matter.
template <typename Enumeration>
void unpack_tag(Unpacker& unpacker, Enumeration& value, Enumeration end, Enumeration unknown) {
  int number = 0;
  unpacker(number);
  const bool known = number >= 0 && number < static_cast<int>(end);
  value = known ? static_cast<Enumeration>(number) : unknown;
}

template <typename Number>
Number unpacked(Unpacker& unpacker) {
  Number number{};
  unpacker(number);
  return number;
}

/// Returns a number of a header. A negative one becomes 0, which means unknown.
int number_from_0(Unpacker& unpacker) { return std::max(0, unpacked<int>(unpacker)); }

// ---- colours ----

/// Packs what a stream and a picture both say of their colours. FFmpeg calls the matrix color_space
/// in one struct, and colorspace in the other.
template <typename Tagged>
void pack_colors(Packer& packer, const Tagged& from, AVColorSpace matrix) {
  pack_number(packer, from.color_range);
  pack_number(packer, from.color_primaries);
  pack_number(packer, from.color_trc);
  pack_number(packer, matrix);
  pack_number(packer, from.chroma_location);
}

template <typename Tagged>
void unpack_colors(Unpacker& unpacker, Tagged& to, AVColorSpace& matrix) {
  unpack_tag(unpacker, to.color_range, AVCOL_RANGE_NB, AVCOL_RANGE_UNSPECIFIED);
  unpack_tag(unpacker, to.color_primaries, AVCOL_PRI_NB, AVCOL_PRI_UNSPECIFIED);
  unpack_tag(unpacker, to.color_trc, AVCOL_TRC_NB, AVCOL_TRC_UNSPECIFIED);
  unpack_tag(unpacker, matrix, AVCOL_SPC_NB, AVCOL_SPC_UNSPECIFIED);
  unpack_tag(unpacker, to.chroma_location, AVCHROMA_LOC_NB, AVCHROMA_LOC_UNSPECIFIED);
}

// ---- tags ----

void pack_dictionary(Packer& packer, const AVDictionary* dictionary) {
  packer.count(static_cast<std::size_t>(av_dict_count(dictionary)));
  const AVDictionaryEntry* entry = nullptr;
  while ((entry = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
    packer(std::string_view(entry->key));
    packer(std::string_view(entry->value));
  }
}

void unpack_dictionary(Unpacker& unpacker, AVDictionary*& dictionary) {
  const std::size_t entries = unpacker.count(0);
  expect(entries <= kMostEntries, "too many tags");
  for (std::size_t i = 0; i < entries; ++i) {
    std::string key;
    std::string value;
    pack_all(unpacker, key, value);
    if (av_dict_set(&dictionary, key.c_str(), value.c_str(), AV_DICT_MULTIKEY) < 0)
      throw std::bad_alloc();
  }
}

// ---- streams ----

void pack_layout(Packer& packer, const AVChannelLayout& layout) {
  const bool custom = layout.order == AV_CHANNEL_ORDER_CUSTOM;
  pack_number(packer, layout.order);
  packer(layout.nb_channels);
  packer(custom ? std::uint64_t{0} : layout.u.mask);
  for (int i = 0; custom && i < layout.nb_channels; ++i) pack_number(packer, layout.u.map[i].id);
}

void unpack_layout(Unpacker& unpacker, AVChannelLayout& layout) {
  AVChannelLayout made{};
  unpack_number(unpacker, made.order, AV_CHANNEL_ORDER_UNSPEC, AV_CHANNEL_ORDER_AMBISONIC + 1);
  pack_all(unpacker, made.nb_channels, made.u.mask);
  expect(made.nb_channels >= 0 && made.nb_channels <= kMostChannels, "too many channels");
  if (made.order == AV_CHANNEL_ORDER_CUSTOM) {
    std::vector<int> ids(static_cast<std::size_t>(made.nb_channels));
    for (int& id : ids) unpacker(id);
    made.u.map = static_cast<AVChannelCustom*>(
        allocated(av_calloc(ids.size() + 1, sizeof(AVChannelCustom))));
    for (std::size_t i = 0; i < ids.size(); ++i)
      made.u.map[i].id = static_cast<AVChannel>(std::clamp(ids[i], -1, 0x7ff));
  }
  layout = made;
  if (made.order == AV_CHANNEL_ORDER_UNSPEC || av_channel_layout_check(&layout) != 0) return;
  av_channel_layout_uninit(&layout);
  throw std::out_of_range("channels that can't be");
}

void pack_parameters(Packer& packer, const AVCodecParameters& from) {
  pack_number(packer, from.codec_type);
  pack_number(packer, from.codec_id);
  pack_all(packer, from.codec_tag, from.format, from.bit_rate, from.bits_per_coded_sample,
           from.bits_per_raw_sample, from.profile, from.level, from.width, from.height);
  pack_fraction(packer, from.sample_aspect_ratio);
  pack_number(packer, from.field_order);
  pack_colors(packer, from, from.color_space);
  pack_layout(packer, from.ch_layout);
  pack_all(packer, from.video_delay, from.sample_rate, from.block_align, from.frame_size,
           from.initial_padding, from.trailing_padding, from.seek_preroll);
  packer(text_of(header_of(from)));
}

void unpack_extradata(Unpacker& unpacker, AVCodecParameters& to) {
  std::string bytes;
  unpacker(bytes);
  if (bytes.empty()) return;
  to.extradata = static_cast<std::uint8_t*>(
      allocated(av_mallocz(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE)));
  std::ranges::copy(bytes, to.extradata);
  to.extradata_size = static_cast<int>(bytes.size());
}

/// Returns what FFmpeg knows of a format of pixels; nullptr if no format has this number.
const AVPixFmtDescriptor* pixels_of(int format) {
  const bool possible = format >= 0 && format < AV_PIX_FMT_NB;
  return possible ? av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format)) : nullptr;
}

/// Checks what all streams of a kind have in common.
void check_parameters(const AVCodecParameters& of) {
  const bool video = of.codec_type == AVMEDIA_TYPE_VIDEO;
  const bool sound = of.codec_type == AVMEDIA_TYPE_AUDIO;
  expect(of.format == -1 || !video || pixels_of(of.format) != nullptr,
         "a format of pixels that can't be");
  expect(of.format == -1 || !sound || (of.format >= 0 && of.format < AV_SAMPLE_FMT_NB),
         "a format of samples that can't be");
  // FFmpeg takes the bytes of such packets for a pointer.
  expect(of.codec_id != AV_CODEC_ID_WRAPPED_AVFRAME, "a codec that files don't have");
  // FFmpeg's muxers have no room for more.
  expect(of.video_delay <= kMostDelay, "too long a delay");
}

void unpack_parameters(Unpacker& unpacker, AVCodecParameters& to) {
  unpack_number(unpacker, to.codec_type, AVMEDIA_TYPE_UNKNOWN, AVMEDIA_TYPE_NB);
  unpack_number(unpacker, to.codec_id, 0, kMostCodecs);
  pack_all(unpacker, to.codec_tag, to.format, to.bit_rate, to.bits_per_coded_sample,
           to.bits_per_raw_sample, to.profile, to.level);
  to.width = number_from_0(unpacker);
  to.height = number_from_0(unpacker);
  unpack_fraction(unpacker, to.sample_aspect_ratio);
  unpack_tag(unpacker, to.field_order, static_cast<AVFieldOrder>(AV_FIELD_BT + 1),
             AV_FIELD_UNKNOWN);
  unpack_colors(unpacker, to, to.color_space);
  unpack_layout(unpacker, to.ch_layout);
  for (int* const number : {&to.video_delay, &to.sample_rate, &to.block_align, &to.frame_size,
                            &to.initial_padding, &to.trailing_padding, &to.seek_preroll})
    *number = number_from_0(unpacker);
  unpack_extradata(unpacker, to);
  check_parameters(to);
}

/// Packs a packet with its bytes.
void pack_whole_packet(Packer& packer, const AVPacket& packet) {
  pack_packet(packer, packet);
  packer(text_of(data_of(packet)));
}

void unpack_cover(Unpacker& unpacker, AVStream& stream) {
  const UniqueAVPacket packet = new_av_packet();
  unpack_packet(unpacker, *packet);
  const std::string_view bytes = unpacker.take(unpacker.count(0));
  if (bytes.empty()) return;
  if (av_new_packet(&stream.attached_pic, static_cast<int>(bytes.size())) < 0)
    throw std::bad_alloc();
  std::ranges::copy(bytes, stream.attached_pic.data);
  stream.attached_pic.flags = packet->flags;
  stream.attached_pic.stream_index = stream.index;
}

void pack_stream(Packer& packer, const AVStream& stream) {
  packer(stream.id);
  pack_fraction(packer, stream.time_base);
  packer(stream.disposition);
  pack_fraction(packer, stream.sample_aspect_ratio);
  pack_fraction(packer, stream.avg_frame_rate);
  pack_fraction(packer, stream.r_frame_rate);
  pack_parameters(packer, *stream.codecpar);
  pack_dictionary(packer, stream.metadata);
  const auto side_data = compat::stream_side_data(stream);
  pack_side_data(packer, side_data.data(), static_cast<int>(side_data.size()));
  pack_whole_packet(packer, stream.attached_pic);
}

void unpack_stream(Unpacker& unpacker, AVFormatContext& input) {
  AVStream& stream = *allocated(avformat_new_stream(&input, nullptr));
  unpacker(stream.id);
  unpack_positive(unpacker, stream.time_base);
  unpacker(stream.disposition);
  unpack_fraction(unpacker, stream.sample_aspect_ratio);
  unpack_fraction(unpacker, stream.avg_frame_rate);
  unpack_fraction(unpacker, stream.r_frame_rate);
  unpack_parameters(unpacker, *stream.codecpar);
  unpack_dictionary(unpacker, stream.metadata);
  unpack_side_data(unpacker, [&](const SideData& data) {
    std::ranges::copy(
        data.bytes, allocated(compat::new_stream_side_data(stream, data.type, data.bytes.size())));
  });
  unpack_cover(unpacker, stream);
}

void pack_programs(Packer& packer, const AVFormatContext& input) {
  packer.count(input.nb_programs);
  for (const AVProgram* const program : std::span(input.programs, input.nb_programs)) {
    packer(program->id);
    packer(std::vector<unsigned>(program->stream_index,
                                 program->stream_index + program->nb_stream_indexes));
  }
}

void unpack_programs(Unpacker& unpacker, AVFormatContext& input) {
  const std::size_t programs = unpacker.count(0);
  expect(programs <= kMostEntries, "too many programs");
  for (std::size_t i = 0; i < programs; ++i) {
    const int id = unpacked<int>(unpacker);
    std::vector<unsigned> streams;
    unpacker(streams);
    static_cast<void>(allocated(av_new_program(&input, id)));
    for (const unsigned stream : streams) {
      expect(stream < input.nb_streams, "a program of a stream that isn't there");
      av_program_add_stream_index(&input, id, stream);
    }
  }
}

void pack_chapters(Packer& packer, const AVFormatContext& input) {
  packer.count(input.nb_chapters);
  for (const AVChapter* const chapter : std::span(input.chapters, input.nb_chapters)) {
    pack_all(packer, chapter->id, chapter->start, chapter->end);
    pack_fraction(packer, chapter->time_base);
    pack_dictionary(packer, chapter->metadata);
  }
}

void unpack_chapters(Unpacker& unpacker, AVFormatContext& input) {
  const std::size_t chapters = unpacker.count(0);
  expect(chapters <= kMostEntries, "too many chapters");
  if (chapters == 0) return;
  input.chapters = static_cast<AVChapter**>(allocated(av_calloc(chapters, sizeof(AVChapter*))));
  for (std::size_t i = 0; i < chapters; ++i) {
    auto* const chapter = static_cast<AVChapter*>(allocated(av_mallocz(sizeof(AVChapter))));
    input.chapters[input.nb_chapters++] = chapter;
    pack_all(unpacker, chapter->id, chapter->start, chapter->end);
    unpack_positive(unpacker, chapter->time_base);
    unpack_dictionary(unpacker, chapter->metadata);
  }
}

/// Returns FFmpeg's format of this name; nullptr if there is none.
const AVInputFormat* format_named(std::string_view name) {
  void* state = nullptr;
  const AVInputFormat* format = nullptr;
  while ((format = av_demuxer_iterate(&state)) != nullptr && name != format->name) {
  }
  return format;
}

/// An I/O context without a file, which says only whether the worker's file can be sought.
AVIOContext* io_without_file(int seekable) {
  AVIOContext* const io =
      allocated(avio_alloc_context(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr));
  io->seekable = seekable;
  return io;
}

/// Returns an error, and whether it is a PassingError.
std::pair<Error, bool> unpacked_failure(Unpacker& unpacker) {
  ErrorKind kind{};
  unpack_number(unpacker, kind, exit_code(ErrorKind::internal), exit_code(ErrorKind::output) + 1);
  const bool passes = unpacked<bool>(unpacker);
  std::string text;
  unpacker(text);
  const Error error(kind, text);  // makes one line of the text, which can be blank or longer then
  const std::string_view reason = error.what();
  const bool blank = reason.find_first_not_of(' ') == std::string_view::npos;
  expect(!blank && reason.size() <= kMostErrorBytes, "no reason for an error");
  return {error, passes};
}

}  // namespace

void pack_error(Packer& packer, const Error& error) {
  packer(static_cast<int>(error.kind()));
  packer(dynamic_cast<const PassingError*>(&error) != nullptr);
  packer(std::string_view(error.what()).substr(0, kMostErrorBytes));
}

Error unpacked_error(Unpacker& unpacker) { return unpacked_failure(unpacker).first; }

void throw_error(Unpacker& unpacker) {
  const auto [error, passes] = unpacked_failure(unpacker);
  if (passes) throw PassingError(error);
  throw Error(error);
}

void pack_facts(Packer& packer, const InputFacts& facts) {
  pack_all(packer, facts.video_index, facts.first_late, facts.still_in_boxes);
  packer(facts.orientation.has_value());
  if (facts.orientation)
    pack_all(packer, facts.orientation->quarter_turns, facts.orientation->mirrored);
  packer.count(facts.left_out.size());
  for (const std::string& sentence : facts.left_out) packer(sentence);
  pack_fraction(packer, facts.frame_rate);
  pack_all(packer, facts.duration_us, facts.shortfall, facts.read_error);
  packer(facts.failure.has_value());
  if (facts.failure) pack_error(packer, *facts.failure);
}

InputFacts unpacked_facts(Unpacker& unpacker, unsigned streams) {
  InputFacts facts;
  pack_all(unpacker, facts.video_index, facts.first_late, facts.still_in_boxes);
  expect(facts.video_index >= 0 && static_cast<unsigned>(facts.video_index) < streams,
         "a video that isn't there");
  expect(facts.first_late >= 0 && static_cast<unsigned>(facts.first_late) <= streams,
         "streams that aren't there");
  if (unpacked<bool>(unpacker)) {
    Orientation& orientation = facts.orientation.emplace();
    pack_all(unpacker, orientation.quarter_turns, orientation.mirrored);
    expect(orientation.quarter_turns >= 0 && orientation.quarter_turns < 4, "no orientation");
  }
  const std::size_t sentences = unpacker.count(0);
  expect(sentences <= kMostEntries, "too many sentences");
  for (std::size_t i = 0; i < sentences; ++i) unpacker(facts.left_out.emplace_back());
  unpack_positive(unpacker, facts.frame_rate);
  pack_all(unpacker, facts.duration_us, facts.shortfall, facts.read_error);
  expect(facts.duration_us >= 0, "a negative duration");
  if (unpacked<bool>(unpacker)) facts.failure.emplace(unpacked_error(unpacker));
  return facts;
}

void pack_input(Packer& packer, const AVFormatContext& input) {
  packer(std::string_view(input.iformat->name));
  pack_all(packer, input.start_time, input.duration, input.bit_rate);
  packer(input.pb != nullptr);
  if (input.pb != nullptr) packer(input.pb->seekable);
  pack_dictionary(packer, input.metadata);
  pack_streams(packer, input, 0);
  pack_programs(packer, input);
  pack_chapters(packer, input);
}

UniqueInputContext unpacked_input(Unpacker& unpacker) {
  UniqueInputContext input(allocated(avformat_alloc_context()));
  std::string format;
  unpacker(format);
  const AVInputFormat* const known = format_named(format);
  expect(known != nullptr, "an unknown format");
  pack_all(unpacker, input->start_time, input->duration, input->bit_rate);
  const bool has_io = unpacked<bool>(unpacker);
  const int seekable = has_io ? unpacked<int>(unpacker) : 0;
  unpack_dictionary(unpacker, input->metadata);
  unpack_streams(unpacker, *input);
  unpack_programs(unpacker, *input);
  unpack_chapters(unpacker, *input);
  expect(input->nb_streams > 0, "no stream");
  // Only now, because FFmpeg closes an input of a format as if it had opened it.
  input->iformat = known;
  if (has_io) input->pb = io_without_file(seekable);
  return input;
}

void pack_streams(Packer& packer, const AVFormatContext& input, unsigned known) {
  packer(input.nb_streams);
  packer(known);
  for (const AVStream* const stream : std::span(input.streams, input.nb_streams).subspan(known))
    pack_stream(packer, *stream);
  for (const AVStream* const stream : std::span(input.streams, input.nb_streams))
    pack_all(packer, stream->start_time, stream->duration, stream->nb_frames);
}

void unpack_streams(Unpacker& unpacker, AVFormatContext& input) {
  const auto streams = unpacked<unsigned>(unpacker);
  const auto known = unpacked<unsigned>(unpacker);
  expect(streams <= kMostStreams && known <= streams && known == input.nb_streams,
         "streams that can't be");
  while (input.nb_streams < streams) unpack_stream(unpacker, input);
  for (AVStream* const stream : std::span(input.streams, input.nb_streams))
    pack_all(unpacker, stream->start_time, stream->duration, stream->nb_frames);
}

void pack_packet(Packer& packer, const AVPacket& packet) {
  pack_all(packer, packet.stream_index, packet.flags, packet.pts, packet.dts, packet.duration,
           packet.pos);
  pack_side_data(packer, packet.side_data, packet.side_data_elems);
}

void unpack_packet(Unpacker& unpacker, AVPacket& packet) {
  packet.stream_index = unpacked<int>(unpacker);
  expect(packet.stream_index >= 0, "a packet of no stream");
  pack_all(unpacker, packet.flags, packet.pts, packet.dts, packet.duration, packet.pos);
  packet.flags &= kFlagsOfFiles;
  unpack_side_data(unpacker, [&](const SideData& data) { add_side_data(packet, data); });
}

std::array<std::uint8_t*, 4> PictureMemory::planes(std::uint8_t* memory) const {
  std::array<std::uint8_t*, 4> result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    if (i == 0 || offsets[i] > 0) result[i] = memory + offsets[i];
  return result;
}

PictureMemory memory_of(const SharedShape& shape) {
  const AVPixFmtDescriptor* const pixels = pixels_of(shape.format);
  expect(pixels != nullptr && (pixels->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0,
         "a format of pixels that can't be");
  const auto format = static_cast<AVPixelFormat>(shape.format);
  const auto is_side = [](int side) { return side > 0 && side <= kMaxPictureSide; };
  expect(is_side(shape.size.width) && is_side(shape.size.height), "a size that can't be");
  const auto aligned = [](std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  };
  PictureMemory memory;
  expect(av_image_fill_linesizes(memory.strides.data(), format, shape.size.width) >= 0,
         "a size that can't be");
  std::array<std::ptrdiff_t, 4> strides{};
  for (std::size_t i = 0; i < strides.size(); ++i) {
    memory.strides[i] = static_cast<int>(aligned(static_cast<std::size_t>(memory.strides[i])));
    strides[i] = memory.strides[i];
  }
  std::array<std::size_t, 4> sizes{};
  // Code that works on several rows at a time may read some rows behind the last.
  constexpr int kRows = 32;
  const int rows = (shape.size.height + kRows - 1) / kRows * kRows;
  expect(av_image_fill_plane_sizes(sizes.data(), format, rows, strides.data()) >= 0,
         "a size that can't be");
  for (std::size_t i = 0; i < sizes.size() && sizes[i] > 0; ++i) {
    memory.offsets[i] = memory.bytes;
    memory.bytes += aligned(sizes[i]) + kAlignment;
  }
  return memory;
}

std::uint16_t sample_mask(int format) {
  const AVPixFmtDescriptor* const pixels = pixels_of(format);
  constexpr unsigned kOtherLayouts =
      AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER;
  if (pixels == nullptr || (pixels->flags & kOtherLayouts) != 0) return 0;
  const int depth = pixels->comp[0].depth;
  if (depth <= 8 || depth >= 16) return 0;
  for (const AVComponentDescriptor& each : std::span(pixels->comp, pixels->nb_components))
    if (each.depth != depth || each.shift != 0) return 0;
  const auto mask = static_cast<std::uint16_t>((1U << static_cast<unsigned>(depth)) - 1U);
  const bool swapped = (pixels->flags & AV_PIX_FMT_FLAG_BE) != 0;
  return swapped ? std::rotl(mask, 8) : mask;
}

void pack_shape(Packer& packer, const SharedShape& shape) {
  pack_all(packer, shape.format, shape.size.width, shape.size.height);
}

SharedShape unpacked_shape(Unpacker& unpacker) {
  SharedShape shape;
  pack_all(unpacker, shape.format, shape.size.width, shape.size.height);
  return shape;
}

void pack_picture(Packer& packer, const AVFrame& picture) {
  pack_all(packer, picture.pts, picture.pkt_dts, picture.best_effort_timestamp, picture.flags,
           picture.decode_error_flags, picture.repeat_pict);
  packer(compat::duration_of(picture));
  packer(compat::tag_of(picture));
  packer(compat::is_interlaced(picture));
  packer(compat::is_top_field_first(picture));
  pack_number(packer, picture.pict_type);
  pack_fraction(packer, picture.sample_aspect_ratio);
  pack_colors(packer, picture, picture.colorspace);
  pack_dictionary(packer, picture.metadata);
  pack_side_data(packer, picture);
}

void unpack_picture(Unpacker& unpacker, AVFrame& picture) {
  pack_all(unpacker, picture.pts, picture.pkt_dts, picture.best_effort_timestamp, picture.flags,
           picture.decode_error_flags, picture.repeat_pict);
  compat::set_duration(picture, unpacked<std::int64_t>(unpacker));
  compat::set_tag(picture, unpacked<std::int64_t>(unpacker));
  const bool interlaced = unpacked<bool>(unpacker);
  compat::set_fields(picture, interlaced, unpacked<bool>(unpacker));
  unpack_number(unpacker, picture.pict_type, AV_PICTURE_TYPE_NONE, AV_PICTURE_TYPE_BI + 1);
  pack_fraction(unpacker, picture.sample_aspect_ratio);
  unpack_colors(unpacker, picture, picture.colorspace);
  unpack_dictionary(unpacker, picture.metadata);
  unpack_side_data(unpacker, picture);
}

void pack_state(Packer& packer, const CodecState& state) {
  pack_all(packer, state.coded.width, state.coded.height, state.has_b_frames,
           state.active_thread_type);
  packer(state.refused.has_value());
  if (state.refused) pack_all(packer, state.refused->width, state.refused->height);
}

CodecState unpacked_state(Unpacker& unpacker) {
  CodecState state;
  state.coded.width = number_from_0(unpacker);
  state.coded.height = number_from_0(unpacker);
  pack_all(unpacker, state.has_b_frames, state.active_thread_type);
  if (!unpacked<bool>(unpacker)) return state;
  Size& refused = state.refused.emplace();
  refused.width = number_from_0(unpacker);
  refused.height = number_from_0(unpacker);
  return state;
}

}  // namespace facepipe::video
