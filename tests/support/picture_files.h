// Builds parts of picture files byte by byte: EXIF data, PNG chunks, HEIF boxes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace facepipe::test {

/// Returns a number as `width` bytes, the highest byte first.
inline std::string big(std::uint64_t value, int width) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i)
    bytes += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xFFU);
  return bytes;
}
inline std::string little(std::uint64_t value, int width) {
  const std::string bytes = big(value, width);
  return {bytes.rbegin(), bytes.rend()};
}

/// Returns a TIFF directory. `entries` are tags and values of 16 bits, and `next` is the offset of
/// the next directory.
inline std::string tiff_directory(const std::vector<std::pair<int, int>>& entries, int next) {
  std::string bytes = little(entries.size(), 2);
  for (const auto& [tag, value] : entries)
    bytes += little(static_cast<unsigned>(tag), 2) + little(3, 2) + little(1, 4) +
             little(static_cast<unsigned>(value), 4);
  return bytes + little(static_cast<unsigned>(next), 4);
}

/// Returns EXIF data (a TIFF) that contains only an orientation (tag 274).
inline std::string exif(int orientation) {
  return std::string("II*\0", 4) + little(8, 4) + tiff_directory({{274, orientation}}, 0);
}

/// Returns a PNG chunk with its checksum, which FFmpeg (5.1) doesn't check by default.
inline std::string png_chunk(const std::string& type, const std::string& content) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : type + content) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return big(content.size(), 4) + type + content + big(~crc, 4);
}

/// Inserts a chunk behind the header of a PNG file, and returns the file.
inline std::string with_png_chunk(std::string png, const std::string& type,
                                  const std::string& content) {
  constexpr std::size_t kBehindHeader = 33;
  return png.insert(kBehindHeader, png_chunk(type, content));
}

inline std::string box(const std::string& type, const std::string& content) {
  return big(8 + content.size(), 4) + type + content;
}

/// Describes a picture (an item) of an AVIF or HEIF file.
struct HeifItem {
  int id = 0;
  std::string type = "av01";
  std::vector<int> properties = {};  ///< numbers of the item's properties in the file's list of
                                     ///< properties, from 1 on
  bool hidden = false;
};
struct HeifReference {
  std::string type;
  int from = 0;
  int to = 0;
};

/// Returns the boxes of a HEIF file without picture data. The first item is the primary one.
inline std::string heif(const std::vector<HeifItem>& items,
                        const std::vector<std::string>& properties,
                        const std::vector<HeifReference>& references = {}) {
  const std::string none(4, '\0');  // version and flags
  std::string infos = none + big(items.size(), 2);
  std::string associations = none + big(items.size(), 4);
  for (const HeifItem& item : items) {
    const auto id = static_cast<unsigned>(item.id);
    infos += box("infe", big(2, 1) + big(item.hidden ? 1 : 0, 3) + big(id, 2) + big(0, 2) +
                             item.type + std::string(1, '\0'));
    associations += big(id, 2) + big(item.properties.size(), 1);
    for (const int property : item.properties)
      associations += big(0x80U | static_cast<unsigned>(property), 1);
  }
  std::string of_items;
  for (const std::string& property : properties) of_items += property;
  std::string between = none;
  for (const HeifReference& reference : references)
    between += box(reference.type, big(static_cast<unsigned>(reference.from), 2) + big(1, 2) +
                                       big(static_cast<unsigned>(reference.to), 2));
  const auto primary = static_cast<unsigned>(items.front().id);
  return box("ftyp", "avif" + none + "avifmif1") +
         box("meta", none + box("hdlr", none + none + "pict" + std::string(13, '\0')) +
                         box("pitm", none + big(primary, 2)) + box("iinf", infos) +
                         box("iref", between) +
                         box("iprp", box("ipco", of_items) + box("ipma", associations)));
}

}  // namespace facepipe::test
