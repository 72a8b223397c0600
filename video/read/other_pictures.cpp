#include "video/read/other_pictures.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "video/bitstream/packet_bytes.h"
#include "video/read/input_access.h"
#include "video/read/stream_kinds.h"

namespace facepipe::video {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

using File = std::vector<std::byte>;

std::string name_of(const AVStream& stream, std::string_view what) {
  std::string name =
      "stream " + std::to_string(stream.index) + " (" + avcodec_get_name(stream.codecpar->codec_id);
  if (!what.empty()) name.append(", ").append(what);
  return name + ")";
}

/// Returns whether the file begins like a font: TrueType, OpenType, WOFF, or a collection of fonts.
bool begins_as_font(std::string_view file) {
  constexpr std::array kFonts{"\0\1\0\0"sv, "OTTO"sv, "true"sv, "ttcf"sv, "wOFF"sv, "wOF2"sv};
  return std::ranges::any_of(kFonts,
                             [&](std::string_view magic) { return file.starts_with(magic); });
}

bool begins_as_picture(std::string_view file) {
  constexpr std::array kPictures{
      "\xFF\xD8\xFF"sv, "\x89PNG\r\n\x1A\n"sv, "GIF8"sv, "II*\0"sv, "MM\0*"sv, "8BPS"sv};
  const bool known = std::ranges::any_of(
      kPictures, [&](std::string_view magic) { return file.starts_with(magic); });
  if (file.size() < 12) return known;
  const std::string_view riff = file.starts_with("RIFF"sv) ? file.substr(8, 4) : ""sv;
  return known || riff == "WEBP"sv || riff == "AVI "sv || file.substr(4, 4) == "ftyp"sv;
}

bool is_called_picture(const AVStream& stream) {
  const AVDictionaryEntry* const type = av_dict_get(stream.metadata, "mimetype", nullptr, 0);
  const std::string_view mime = type != nullptr ? type->value : "";
  return mime.starts_with("image/") || mime.starts_with("video/") ||
         avcodec_get_type(stream.codecpar->codec_id) == AVMEDIA_TYPE_VIDEO;
}

OtherPictures of_video(const AVStream& stream) {
  const bool attached = is_attached_picture(stream);
  OtherPictures pictures;
  pictures.name = name_of(stream, attached ? "attached picture" : "");
  pictures.stream = stream.index;
  pictures.timed = !attached;
  return pictures;
}

std::optional<OtherPictures> of_attachment(const AVStream& stream) {
  const Bytes bytes = header_of(*stream.codecpar);
  if (bytes.empty() || begins_as_font(text_of(bytes))) return std::nullopt;
  const AVDictionaryEntry* const named = av_dict_get(stream.metadata, "filename", nullptr, 0);
  OtherPictures pictures;
  pictures.name = name_of(
      stream, "attachment" + (named != nullptr ? " " + std::string(named->value) : std::string()));
  pictures.surely = begins_as_picture(text_of(bytes)) || is_called_picture(stream);
  if (bytes.size() > kMostBytes) {
    pictures.unreadable = "it is too large";
    return pictures;
  }
  const std::span<const std::byte> file = std::as_bytes(bytes);
  pictures.owner = std::make_shared<const File>(file.begin(), file.end());
  pictures.file = *pictures.owner;
  return pictures;
}

void add_stream(std::vector<OtherPictures>& all, const AVStream& stream) {
  const AVMediaType type = stream.codecpar->codec_type;
  if (type == AVMEDIA_TYPE_VIDEO) {
    all.push_back(of_video(stream));
  } else if (type == AVMEDIA_TYPE_ATTACHMENT) {
    if (std::optional<OtherPictures> pictures = of_attachment(stream))
      all.push_back(*std::move(pictures));
  } else if (is_bitmap_subtitle(stream)) {
    all.push_back(unreadable(name_of(stream, "subtitles"), "they are pictures"));
  }
}

/// Adds pictures in tags. Ogg and FLAC store a picture in a comment, and some demuxers leave it
/// there.
void add_tags(std::vector<OtherPictures>& all, const AVDictionary* tags, const std::string& where) {
  for (const char* const key : {"METADATA_BLOCK_PICTURE", "COVERART"})
    if (av_dict_get(tags, key, nullptr, 0) != nullptr)
      all.push_back(unreadable("tag " + std::string(key) + where, "it is text"));
}

/// Returns the offsets in a still image's file at which other pictures may begin. Searches for the
/// first bytes of JPEG and PNG, which occur in coded samples only by chance. Also searches for the
/// "ftyp" of a motion photo's video.
std::vector<std::size_t> places_of_pictures(std::string_view file) {
  std::vector<std::size_t> places;
  for (const std::string_view magic : {"\xFF\xD8\xFF"sv, "\x89PNG\r\n\x1A\n"sv})
    for (std::size_t at = file.find(magic, 1); at != std::string_view::npos;
         at = file.find(magic, at + 1))
      places.push_back(at);
  for (std::size_t at = file.find("ftyp"sv, 8); at != std::string_view::npos;
       at = file.find("ftyp"sv, at + 1))
    places.push_back(at - 4);
  std::ranges::sort(places);
  return places;
}

/// Returns a file's bytes; nullopt if they can't be read. Of a file larger than kMostBytes, it
/// returns somewhat more than the first kMostBytes bytes.
std::optional<File> read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  File file;
  std::array<char, 1 << 16> part{};
  while (file.size() <= kMostBytes &&
         (stream.read(part.data(), part.size()), stream.gcount() > 0)) {
    const auto got =
        std::as_bytes(std::span(part)).first(static_cast<std::size_t>(stream.gcount()));
    file.insert(file.end(), got.begin(), got.end());
  }
  if (!stream.is_open() || stream.bad()) return std::nullopt;
  return file;
}

void add_parts_of_still(std::vector<OtherPictures>& all, const Demuxer& demuxer) {
  constexpr std::size_t kMostPlaces = 64;
  const std::string rest = "what else the file holds";
  std::optional<File> bytes = read_file(demuxer.url());
  if (!bytes) {
    all.push_back(unreadable(rest, "it can't be read"));
    return;
  }
  const auto file = std::make_shared<const File>(*std::move(bytes));
  if (file->size() > kMostBytes) {
    all.push_back(unreadable(rest, "it is too large"));
    return;
  }
  std::vector<std::size_t> places =
      places_of_pictures({reinterpret_cast<const char*>(file->data()), file->size()});
  if (places.size() > kMostPlaces) {
    all.push_back(
        unreadable(rest, "more than " + std::to_string(kMostPlaces) + " pictures may be in it"));
    places.resize(kMostPlaces);
  }
  for (const std::size_t place : places) {
    OtherPictures pictures;
    pictures.name = "the picture at byte " + std::to_string(place) + " of the file";
    pictures.owner = file;
    pictures.file = std::span(*file).subspan(place);
    pictures.surely = false;
    all.push_back(std::move(pictures));
  }
}

}  // namespace

OtherPictures unreadable(std::string name, std::string why) {
  OtherPictures pictures;
  pictures.name = std::move(name);
  pictures.unreadable = std::move(why);
  return pictures;
}

std::vector<OtherPictures> other_pictures(const Demuxer& demuxer) {
  const AVFormatContext& format = demuxer.format();
  std::vector<OtherPictures> all;
  add_tags(all, format.metadata, {});
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    const AVStream& stream = *format.streams[i];
    add_tags(all, stream.metadata, " of stream " + std::to_string(i));
    if (stream.index != demuxer.video_index()) add_stream(all, stream);
  }
  const bool is_file = !is_url(demuxer.url()) && !is_fifo(demuxer.url());
  if (demuxer.is_one_picture() && is_file) add_parts_of_still(all, demuxer);
  // For a still image in MJPEG, add_parts_of_still() has added these parts already.
  if (demuxer.video().codecpar->codec_id != AV_CODEC_ID_MJPEG)
    for (const std::string& sentence : demuxer.left_out())
      all.push_back(unreadable("what the decoder leaves out", sentence));
  return all;
}

}  // namespace facepipe::video
