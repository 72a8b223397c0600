#include "video/read/picture_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "video/read/exif.h"

namespace facepipe::video {
namespace {

constexpr std::string_view kPngMark("\x89PNG\r\n\x1a\n", 8);

/// Returns whether these bytes contain an MP4 file, which phones append to a picture. Bytes 4 to 7
/// of an MP4 file are "ftyp". Some phones put data of their own before the file.
bool holds_video(Bytes bytes) {
  constexpr std::string_view kMark = "ftyp";
  return std::search(bytes.begin(), bytes.end(), kMark.begin(), kMark.end()) != bytes.end();
}

// JPEG (ITU-T T.81, annex B)

constexpr std::uint8_t kMarkerBegin = 0xFF;
constexpr std::uint64_t kStartOfImage = 0xD8;
constexpr std::uint64_t kEndOfImage = 0xD9;
constexpr std::uint64_t kStartOfScan = 0xDA;
constexpr std::uint64_t kApp1 = 0xE1;
constexpr std::uint64_t kApp2 = 0xE2;

bool has_no_length(std::uint64_t marker) {
  constexpr std::uint64_t kFirstRestart = 0xD0;
  constexpr std::uint64_t kTemporary = 0x01;
  return (marker >= kFirstRestart && marker <= kStartOfImage) || marker == kTemporary;
}

/// Moves past a scan's data. In these data, a zero follows each 0xFF that doesn't begin a marker.
void skip_scan(ByteReader& reader) {
  constexpr std::uint8_t kStuffed = 0;
  const auto begins_marker = [](std::uint8_t second) {
    return second != kStuffed && !has_no_length(second) && second != kMarkerBegin;
  };
  const Bytes data = reader.rest();
  for (std::size_t at = 0; at + 1 < data.size(); ++at) {
    const void* const found = std::memchr(data.data() + at, kMarkerBegin, data.size() - 1 - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - data.data());
    if (begins_marker(data[at + 1])) return reader.skip(at);
  }
  reader.skip(data.size());
}

/// Returns how many pictures the index of a multi-picture file (CIPA DC-007) lists, without
/// thumbnails; 0 if it can't be read.
std::int64_t count_in_index(Bytes index) {
  constexpr std::uint64_t kEntries = 0xB002;
  constexpr std::uint64_t kEntryBytes = 16;
  constexpr std::uint64_t kKind = 0xFF0000;
  constexpr std::uint64_t kThumbnail = 0x010000;
  ByteReader reader(index, tiff_order(index));
  ByteReader list = reader;
  reader.skip(4);
  reader.seek(reader.number(4));
  std::uint64_t bytes = 0;
  for (std::uint64_t left = reader.number(2); left > 0 && bytes == 0 && !reader.failed(); --left) {
    const std::uint64_t tag = reader.number(2);
    reader.skip(2);
    const std::uint64_t count = reader.number(4);
    const std::uint64_t place = reader.number(4);
    if (tag != kEntries) continue;
    bytes = count;
    list.seek(place);
  }
  std::int64_t pictures = 0;
  for (; bytes >= kEntryBytes && list.left() >= kEntryBytes; bytes -= kEntryBytes) {
    if ((list.number(4) & kKind) != kThumbnail) ++pictures;
    list.skip(kEntryBytes - 4);
  }
  return pictures;
}

struct Jpeg {
  std::optional<Orientation> orientation;
  std::int64_t indexed = 0;  ///< number of pictures that the file's index lists
  Bytes behind;
};

void read_segment(std::uint64_t marker, Bytes segment, Jpeg& jpeg) {
  constexpr std::string_view kIndexMark("MPF\0", 4);
  if (marker == kApp1 && begins_with(segment, "Exif") && !jpeg.orientation)
    jpeg.orientation = orientation_in_exif(segment);
  if (marker == kApp2 && begins_with(segment, kIndexMark))
    jpeg.indexed = count_in_index(segment.subspan(kIndexMark.size()));
}

/// Reads one JPEG picture up to its end. `behind` contains the bytes after the picture; it is empty
/// if the picture has no end.
Jpeg read_jpeg(Bytes bytes) {
  Jpeg jpeg;
  ByteReader reader(bytes);
  while (reader.left() > 1) {
    if (reader.number(1) != kMarkerBegin) continue;
    std::uint64_t marker = reader.number(1);
    while (marker == kMarkerBegin && reader.left() > 0) marker = reader.number(1);
    if (marker == kEndOfImage) {
      jpeg.behind = reader.rest();
      return jpeg;
    }
    if (marker == 0 || has_no_length(marker)) continue;
    const std::uint64_t length = reader.number(2);
    if (length < 2) continue;
    read_segment(marker, reader.take(length - 2), jpeg);
    if (marker == kStartOfScan) skip_scan(reader);
  }
  return jpeg;
}

bool is_jpeg(Bytes bytes) { return begins_with(bytes, "\xFF\xD8\xFF"); }

PictureFile read_jpeg_file(Bytes file) {
  const Jpeg first = read_jpeg(file);
  PictureFile found;
  found.orientation = first.orientation;
  Bytes behind = first.behind;
  std::int64_t more = 0;
  for (; is_jpeg(behind); ++more) behind = read_jpeg(behind).behind;
  found.more_pictures = first.indexed > 0 ? first.indexed - 1 : more;
  found.video = holds_video(behind);
  return found;
}

// PNG (ISO/IEC 15948, and its third edition for animations)

PictureFile read_png_file(Bytes file) {
  PictureFile found;
  ByteReader reader(file);
  reader.skip(kPngMark.size());
  bool animated = false;
  bool before_data = true;
  std::int64_t others = 0;
  while (reader.left() > 0 && !reader.failed()) {
    const std::uint64_t length = reader.number(4);
    const Bytes type = reader.take(4);
    const Bytes chunk = reader.take(length);
    reader.skip(4);  // checksum
    if (begins_with(type, "eXIf")) found.orientation = orientation_in_exif(chunk);
    if (begins_with(type, "acTL")) animated = true;
    if (begins_with(type, "IDAT")) before_data = false;
    // A frame header before the picture's data makes this picture the animation's first frame.
    if (begins_with(type, "fcTL") && !before_data) ++others;
    if (begins_with(type, "IEND")) break;
  }
  if (animated) found.more_pictures = others;
  found.video = holds_video(reader.rest());
  return found;
}

// WebP (RFC 9649)

PictureFile read_webp_file(Bytes file) {
  PictureFile found;
  ByteReader reader(file, ByteReader::Order::little_endian);
  reader.skip(12);
  std::int64_t frames = 0;
  while (reader.left() > 0 && !reader.failed()) {
    const Bytes type = reader.take(4);
    const std::uint64_t length = reader.number(4);
    const Bytes chunk = reader.take(length);
    reader.skip(length % 2);
    if (begins_with(type, "EXIF")) found.orientation = orientation_in_exif(chunk);
    if (begins_with(type, "ANMF")) ++frames;
  }
  found.more_pictures = std::max<std::int64_t>(0, frames - 1);
  return found;
}

PictureFile read_tiff_file(const TiffFacts& facts) {
  PictureFile found;
  found.orientation = facts.orientation;
  found.more_pictures = std::max<std::int64_t>(0, facts.pictures - 1);
  return found;
}

}  // namespace

PictureFile read_picture_file(Bytes file) {
  if (is_jpeg(file)) return read_jpeg_file(file);
  if (begins_with(file, kPngMark)) return read_png_file(file);
  if (begins_with(file, "RIFF") && file.size() >= 12 && begins_with(file.subspan(8), "WEBP"))
    return read_webp_file(file);
  if (const std::optional<TiffFacts> tiff = read_tiff(file)) return read_tiff_file(*tiff);
  return {};
}

std::vector<std::string> left_out(const PictureFile& file) {
  std::vector<std::string> sentences;
  if (file.more_pictures == 1)
    sentences.emplace_back("the file's second picture dropped: only the first is worked on");
  if (file.more_pictures > 1)
    sentences.push_back(std::to_string(file.more_pictures) +
                        " more pictures of the file dropped: only the first is worked on");
  if (file.transparency)
    sentences.emplace_back(
        "transparency dropped: it is in a separate picture, which FFmpeg doesn't combine with the "
        "first");
  if (file.auxiliary)
    sentences.emplace_back("a picture that belongs to the first dropped: depth, or a gain map");
  if (file.video)
    sentences.emplace_back("the video after the picture dropped: only the picture is worked on");
  return sentences;
}

}  // namespace facepipe::video
