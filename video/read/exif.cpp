#include "video/read/exif.h"

#include <set>
#include <string_view>

#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

constexpr std::string_view kExifMark("Exif\0\0", 6);
constexpr std::uint64_t kEntryBytes = 12;
constexpr std::size_t kMostDirectories = 65536;

enum Tag : std::uint64_t { kNewSubfileType = 254, kOrientation = 274 };

/// These bits of NewSubfileType mean that the directory describes a smaller copy, or a mask.
constexpr std::uint64_t kReducedOrMask = 1U | 4U;

/// Returns the first value of an entry if the entry itself contains it (a byte, or 16 or 32 bits).
std::uint64_t first_value(ByteReader& entry) {
  constexpr std::uint64_t kByte = 1;
  constexpr std::uint64_t kShort = 3;
  constexpr std::uint64_t kLong = 4;
  const std::uint64_t type = entry.number(2);
  const std::uint64_t count = entry.number(4);
  if (count == 0) return 0;
  if (type == kByte) return entry.number(1);
  if (type == kShort) return entry.number(2);
  return type == kLong ? entry.number(4) : 0;
}

class TiffWalk {
 public:
  explicit TiffWalk(Bytes tiff)
      : tiff_(tiff), order_(tiff_order(tiff)), entries_left_(tiff.size() / kEntryBytes) {}

  TiffFacts run() {
    ByteReader header(tiff_, order_);
    header.skip(4);
    std::uint64_t place = header.number(4);
    // A chain that returns to an earlier directory would never end.
    while (place != 0 && been_.size() < kMostDirectories && been_.insert(place).second)
      place = read_directory(place);
    return facts_;
  }

 private:
  /// Returns the offset of the next directory; 0 after the last directory, and after an incomplete
  /// directory.
  std::uint64_t read_directory(std::uint64_t place) {
    ByteReader reader(tiff_, order_);
    reader.seek(place);
    const std::uint64_t entries = reader.number(2);
    // Without this limit, directories that overlap would be read again and again.
    if (reader.failed() || entries == 0 || entries > entries_left_) return 0;
    entries_left_ -= entries;
    bool picture = true;
    for (std::uint64_t i = 0; i < entries; ++i) {
      ByteReader entry(reader.take(kEntryBytes), order_);
      const std::uint64_t tag = entry.number(2);
      if (tag == kNewSubfileType) picture = (first_value(entry) & kReducedOrMask) == 0;
      if (tag == kOrientation && been_.size() == 1) take_orientation(first_value(entry));
    }
    if (picture) ++facts_.pictures;
    const std::uint64_t next = reader.number(4);
    return reader.failed() ? 0 : next;
  }

  void take_orientation(std::uint64_t value) {
    if (value >= 1 && value <= 8) facts_.orientation = orientation_of_exif(static_cast<int>(value));
  }

  Bytes tiff_;
  ByteReader::Order order_;
  // Number of further entries that are possible if directories don't overlap.
  std::uint64_t entries_left_;
  std::set<std::uint64_t> been_;
  TiffFacts facts_;
};

}  // namespace

ByteReader::Order tiff_order(Bytes header) {
  return begins_with(header, "MM") ? ByteReader::Order::big_endian
                                   : ByteReader::Order::little_endian;
}

std::optional<TiffFacts> read_tiff(Bytes tiff) {
  const bool begins = begins_with(tiff, {"II*\0", 4}) || begins_with(tiff, {"MM\0*", 4});
  if (!begins) return std::nullopt;
  return TiffWalk(tiff).run();
}

std::optional<Orientation> orientation_in_exif(Bytes exif) {
  if (begins_with(exif, kExifMark)) exif = exif.subspan(kExifMark.size());
  const std::optional<TiffFacts> facts = read_tiff(exif);
  return facts ? facts->orientation : std::nullopt;
}

}  // namespace facepipe::video
