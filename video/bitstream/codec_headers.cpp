#include "video/bitstream/codec_headers.h"

extern "C" {
#include <libavutil/intreadwrite.h>
#include <libavutil/mem.h>
}

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "video/bitstream/packet_bytes.h"
#include "video/bitstream/subtitle_headers.h"

namespace facepipe::video {
namespace {

using Buffer = std::vector<std::uint8_t>;

/// Holds a header without its texts, and a description of these texts for messages.
struct Cleaned {
  Buffer header;
  std::string lost;
};

void append(Buffer& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

// ---- Vorbis and Theora: three packets, of which the second one contains the comments ----

using XiphPackets = std::array<Bytes, 3>;

/// Splits a header in QuickTime's layout: each packet follows its length, which takes two bytes.
std::optional<XiphPackets> split_by_lengths(Bytes header) {
  XiphPackets packets;
  for (Bytes& packet : packets) {
    if (header.size() < 2) return std::nullopt;
    const std::size_t size = AV_RB16(header.data());
    if (size == 0 || header.size() - 2 < size) return std::nullopt;
    packet = header.subspan(2, size);
    header = header.subspan(2 + size);
  }
  return packets;
}

/// Splits a header in Matroska's layout: two lengths in Xiph's lacing come before the packets.
std::optional<XiphPackets> split_by_lacing(Bytes header) {
  if (header.empty() || header[0] != 2) return std::nullopt;
  std::size_t at = 1;
  std::array<std::size_t, 2> sizes{};
  for (std::size_t& size : sizes) {
    while (at < header.size() && header[at] == 255) size += header[at++];
    if (at >= header.size()) return std::nullopt;
    size += header[at++];
  }
  header = header.subspan(at);
  if (sizes[0] > header.size() || sizes[1] > header.size() - sizes[0]) return std::nullopt;
  return XiphPackets{header.first(sizes[0]), header.subspan(sizes[0], sizes[1]),
                     header.subspan(sizes[0] + sizes[1])};
}

/// @param name  the text after the type byte of each packet: "vorbis" or "theora"
std::optional<XiphPackets> split_xiph(Bytes header, std::string_view name) {
  const auto are_named = [&](const XiphPackets& packets) {
    return std::ranges::all_of(packets, [&](Bytes packet) {
      return packet.size() > name.size() && text_of(packet).substr(1).starts_with(name);
    });
  };
  for (const auto& split : {split_by_lengths(header), split_by_lacing(header)})
    if (split && are_named(*split)) return split;
  return std::nullopt;
}

Buffer join_by_lacing(const XiphPackets& packets) {
  Buffer header{2};
  for (const Bytes packet : {packets[0], packets[1]}) {
    header.insert(header.end(), packet.size() / 255, 255);
    header.push_back(static_cast<std::uint8_t>(packet.size() % 255));
  }
  for (const Bytes packet : packets) append(header, packet);
  return header;
}

/// Returns the names of a comment header's fields, except those that name the encoder.
std::string names_of_comments(Bytes fields) {
  const auto next = [&]() -> std::optional<Bytes> {
    if (fields.size() < 4) return std::nullopt;
    const std::size_t size = std::min<std::size_t>(AV_RL32(fields.data()), fields.size() - 4);
    const Bytes field = fields.subspan(4, size);
    fields = fields.subspan(4 + size);
    return field;
  };
  // The library's name comes first, then the number of fields.
  if (!next() || fields.size() < 4) return {};
  fields = fields.subspan(4);
  std::string names;
  while (const std::optional<Bytes> field = next()) {
    const std::string_view text = text_of(*field);
    const std::string_view name = text.substr(0, text.find('='));
    const bool printable = !name.empty() && name.size() < 40 &&
                           std::ranges::all_of(name, [](char c) { return c >= ' ' && c < 127; });
    if (!printable || name == "encoder" || name == "ENCODER") continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

std::optional<Cleaned> clean_xiph(Bytes header, std::string_view name) {
  std::optional<XiphPackets> packets = split_xiph(header, name);
  if (!packets) return std::nullopt;
  Bytes& comments = (*packets)[1];
  const std::size_t begin = 1 + name.size();
  std::string lost = names_of_comments(comments.subspan(begin));
  Buffer none(comments.begin(), comments.begin() + static_cast<std::ptrdiff_t>(begin));
  none.insert(none.end(), 8, 0);            // no library's name, no comments
  if (name == "vorbis") none.push_back(1);  // the end mark
  comments = none;
  return Cleaned{join_by_lacing(*packets), std::move(lost)};
}

// ---- FLAC and Opus ----

std::optional<Cleaned> clean_flac(Bytes header) {
  constexpr std::size_t kFacts = 34;  // size of STREAMINFO in bytes
  constexpr std::size_t kBegin = 8;   // "fLaC" and the block's own header
  const bool whole_file = text_of(header).starts_with("fLaC");
  const Bytes facts = whole_file && header.size() > kBegin ? header.subspan(kBegin) : header;
  if (facts.size() < kFacts) return std::nullopt;
  const bool more = facts.size() > kFacts;
  return Cleaned{{facts.begin(), facts.begin() + kFacts}, more ? "further blocks" : ""};
}

std::optional<Cleaned> clean_opus(Bytes header) {
  constexpr std::size_t kFacts = 19;
  if (!text_of(header).starts_with("OpusHead") || header.size() < kFacts) return std::nullopt;
  const bool has_map = header[kFacts - 1] != 0;
  const std::size_t size = kFacts + (has_map ? std::size_t{2} + header[9] : 0);
  if (header.size() < size) return std::nullopt;
  return Cleaned{{header.begin(), header.begin() + static_cast<std::ptrdiff_t>(size)},
                 header.size() > size ? "further bytes" : ""};
}

// ---- Subtitles ----

Cleaned bytes_of(CleanedText text, const std::string& loss) {
  return {{text.header.begin(), text.header.end()}, text.lost ? loss : ""};
}

/// Returns whether a box of 3GPP Timed Text is a table of fonts, and nothing else.
bool is_font_table(Bytes box) {
  constexpr std::size_t kBegin = 10;  // size, type and number of fonts
  if (box.size() < kBegin || text_of(box).substr(4, 4) != "ftab") return false;
  std::size_t at = kBegin;
  for (unsigned fonts = AV_RB16(box.data() + 8); fonts > 0; --fonts) {
    if (box.size() - at < 3) return false;
    const std::string_view name = text_of(box.subspan(at + 3)).substr(0, box[at + 2]);
    if (name.size() < box[at + 2]) return false;
    if (std::ranges::any_of(name, [](unsigned char c) { return c < ' ' || c == 0x7F; }))
      return false;
    at += 3 + name.size();
  }
  return at == box.size();
}

/// Returns whether a box tells bit rates, and nothing else. Most writers of MP4 add one, and the
/// muxer writes a new one, so it is nothing to tell of.
bool is_bit_rate(Bytes box) {
  constexpr std::size_t kSize = 20;  // size, type and three numbers
  return box.size() == kSize && text_of(box).substr(4, 4) == "btrt";
}

/// Keeps the numbers of 3GPP Timed Text (MP4's subtitles), which say where and how text is shown,
/// and the names of fonts.
std::optional<Cleaned> clean_timed_text(Bytes header) {
  constexpr std::size_t kNumbers = 30;  // flags, justification, colour, box, style
  if (header.size() < kNumbers) return std::nullopt;
  Cleaned result{{header.begin(), header.begin() + kNumbers}, {}};
  header = header.subspan(kNumbers);
  while (header.size() >= 8 && AV_RB32(header.data()) >= 8 &&
         AV_RB32(header.data()) <= header.size()) {
    const Bytes box = header.first(AV_RB32(header.data()));
    if (is_font_table(box))
      append(result.header, box);
    else if (!is_bit_rate(box))
      result.lost = "further boxes";
    header = header.subspan(box.size());
  }
  if (!header.empty()) result.lost = "further bytes";
  return result;
}

bool is_text_subtitle(AVCodecID codec) {
  const AVCodecDescriptor* const about = avcodec_descriptor_get(codec);
  return about != nullptr && about->type == AVMEDIA_TYPE_SUBTITLE &&
         (about->props & AV_CODEC_PROP_TEXT_SUB) != 0;
}

/// Returns the header without its texts; nullopt if the header isn't valid for its codec.
std::optional<Cleaned> cleaned(AVCodecID codec, Bytes header) {
  if (header.empty()) return Cleaned{};
  switch (codec) {
    case AV_CODEC_ID_VORBIS:
      return clean_xiph(header, "vorbis");
    case AV_CODEC_ID_THEORA:
      return clean_xiph(header, "theora");
    case AV_CODEC_ID_FLAC:
      return clean_flac(header);
    case AV_CODEC_ID_OPUS:
      return clean_opus(header);
    case AV_CODEC_ID_ASS:
    case AV_CODEC_ID_SSA:
      return bytes_of(clean_ass_header(header), "text other than styles");
    case AV_CODEC_ID_DVD_SUBTITLE:
      return bytes_of(clean_dvd_header(header), "further lines");
    case AV_CODEC_ID_MOV_TEXT:
      return clean_timed_text(header);
    default:
      if (is_text_subtitle(codec)) return Cleaned{{}, "words"};
      return Cleaned{{header.begin(), header.end()}, {}};
  }
}

// ---- Fonts ----

struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Returns the ranges of a file that a font's directory and tables occupy; nullopt if the file is
/// no font.
std::optional<std::vector<Extent>> extents_of_font(Bytes file, std::size_t begin) {
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kEntry = 16;
  constexpr std::array<std::uint32_t, 4> kKinds{0x00010000, 0x4F54544F /* OTTO */,
                                                0x74727565 /* true */, 0x74797031 /* typ1 */};
  if (begin > file.size() || file.size() - begin < kHeader) return std::nullopt;
  const Bytes font = file.subspan(begin);
  const std::uint32_t kind = AV_RB32(font.data());
  const std::size_t tables = AV_RB16(font.data() + 4);
  if (std::ranges::find(kKinds, kind) == kKinds.end()) return std::nullopt;
  if (tables == 0 || font.size() < kHeader + tables * kEntry) return std::nullopt;
  std::vector<Extent> extents{{begin, begin + kHeader + tables * kEntry}};
  bool has_characters = false;
  for (std::size_t i = 0; i < tables; ++i) {
    const std::uint8_t* const entry = font.data() + kHeader + i * kEntry;
    const std::size_t offset = AV_RB32(entry + 8);
    const std::size_t size = AV_RB32(entry + 12);
    if (offset > file.size() || size > file.size() - offset) return std::nullopt;
    extents.push_back({offset, std::min(file.size(), (offset + size + 3) / 4 * 4)});
    has_characters |= std::memcmp(entry, "cmap", 4) == 0;
  }
  if (!has_characters) return std::nullopt;
  return extents;
}

std::vector<std::size_t> begins_of_fonts(Bytes file) {
  constexpr std::size_t kHeader = 12;
  if (!text_of(file).starts_with("ttcf") || file.size() < kHeader) return {0};
  const std::size_t fonts = AV_RB32(file.data() + 8);
  if (fonts > (file.size() - kHeader) / 4) return {};
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < fonts; ++i) begins.push_back(AV_RB32(file.data() + kHeader + 4 * i));
  return begins;
}

std::size_t covered(std::vector<Extent> extents) {
  std::ranges::sort(extents, {}, &Extent::begin);
  std::size_t bytes = 0;
  std::size_t reached = 0;
  for (const Extent& extent : extents) {
    const std::size_t begin = std::max(extent.begin, reached);
    if (extent.end > begin) bytes += extent.end - begin;
    reached = std::max(reached, extent.end);
  }
  return bytes;
}

}  // namespace

void set_header(AVCodecParameters& parameters, Bytes header) {
  av_freep(reinterpret_cast<void*>(&parameters.extradata));
  parameters.extradata_size = 0;
  if (header.empty()) return;
  parameters.extradata = static_cast<std::uint8_t*>(
      allocated(av_mallocz(header.size() + AV_INPUT_BUFFER_PADDING_SIZE)));
  std::memcpy(parameters.extradata, header.data(), header.size());
  parameters.extradata_size = static_cast<int>(header.size());
}

bool is_font(Bytes file) {
  constexpr std::size_t kMostOfAll = 256;  // padding, and the header of a collection
  const std::vector<std::size_t> begins = begins_of_fonts(file);
  std::vector<Extent> extents;
  for (const std::size_t begin : begins) {
    const std::optional<std::vector<Extent>> font = extents_of_font(file, begin);
    if (!font) return false;
    extents.insert(extents.end(), font->begin(), font->end());
  }
  return !begins.empty() && file.size() - covered(std::move(extents)) <= kMostOfAll;
}

bool can_clean_header(const AVCodecParameters& parameters) {
  return cleaned(parameters.codec_id, header_of(parameters)).has_value();
}

std::string clean_header(AVCodecParameters& parameters) {
  const Bytes header = header_of(parameters);
  if (header.empty()) return {};
  const std::optional<Cleaned> result = cleaned(parameters.codec_id, header);
  set_header(parameters, result ? Bytes(result->header) : Bytes());
  return result ? result->lost : "all of it";
}

}  // namespace facepipe::video
