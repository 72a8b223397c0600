#include "video/read/file_end.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "video/bitstream/byte_reader.h"

namespace facepipe::video {
namespace {

// The most boxes or elements that are examined at the end of a file. A hostile file could have any
// number of them.
constexpr int kMostParts = 100'000;

/// Reads big-endian numbers at offsets in a file of known size.
class FileBytes {
 public:
  explicit FileBytes(AVFormatContext& input) : io_(input.pb) {
    if (io_ != nullptr && (io_->seekable & AVIO_SEEKABLE_NORMAL) != 0) size_ = avio_size(io_);
  }

  /// Returns the size in bytes; zero or less if it isn't known.
  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Returns the number of `bytes` bytes at `at`; nullopt if the file ends before the number does.
  [[nodiscard]] std::optional<std::uint64_t> number(std::int64_t at, int bytes) {
    if (at < 0 || at > size_ - bytes || avio_seek(io_, at, SEEK_SET) < 0) return std::nullopt;
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<unsigned>(avio_r8(io_));
    return value;
  }

 private:
  AVIOContext* io_;
  std::int64_t size_ = -1;
};

/// Returns the offset after the last sample that the indexes of the streams list.
std::int64_t end_of_samples(const AVFormatContext& input) {
  std::int64_t end = 0;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    AVStream* const stream = input.streams[i];
    if (stream->discard == AVDISCARD_ALL) continue;
    for (int n = 0; n < avformat_index_get_entries_count(stream); ++n) {
      const AVIndexEntry* const entry = avformat_index_get_entry(stream, n);
      std::int64_t behind = 0;
      if (__builtin_add_overflow(entry->pos, std::int64_t{entry->size}, &behind))
        behind = INT64_MAX;
      end = std::max(end, behind);
    }
  }
  return end;
}

/// Returns whether the file ends within a fragment that begins at `at` or later (ISO/IEC 14496-12,
/// 4.2 and 8.8). `at` must lie between boxes. An unknown box ends the search, because anything can
/// have been appended to the file.
bool has_torn_fragment(FileBytes& file, std::int64_t at) {
  constexpr std::array kOfFragments{four_cc("moof"), four_cc("styp"), four_cc("sidx"),
                                    four_cc("emsg"), four_cc("prft")};
  constexpr std::array kOthers{four_cc("mdat"), four_cc("free"), four_cc("skip"), four_cc("mfra"),
                               four_cc("moov"), four_cc("uuid"), four_cc("meta")};
  for (int i = 0; i < kMostParts; ++i) {
    const std::optional<std::uint64_t> begin = file.number(at, 8);
    if (!begin) return false;
    const std::uint64_t type = *begin & UINT32_MAX;
    std::uint64_t length = *begin >> 32;
    const bool of_fragment = std::ranges::find(kOfFragments, type) != kOfFragments.end();
    if (!of_fragment && std::ranges::find(kOthers, type) == kOthers.end()) return false;
    if (length == 1) length = file.number(at + 8, 8).value_or(0);
    if (length < 8) return false;  // 0: the box reaches to the end of the file
    if (length > static_cast<std::uint64_t>(file.size() - at)) return of_fragment;
    at += static_cast<std::int64_t>(length);
  }
  return false;
}

std::string torn_mp4(AVFormatContext& input, FileBytes& file) {
  const std::int64_t end = end_of_samples(input);
  if (end > file.size())
    return "the index points to " + std::to_string(end - file.size()) +
           " bytes after the file's end";
  return has_torn_fragment(file, end) ? "the file ends within a fragment" : "";
}

/// Holds the header of a Matroska element (RFC 8794, 4 to 6).
struct Element {
  std::uint64_t id = 0;      ///< with its marker; 0 if there is no element
  std::uint64_t length = 0;  ///< bytes that follow the header
  bool unknown = false;      ///< the length is unknown; the element's children follow
  int head = 0;              ///< bytes of the header
};

/// Returns how many bytes a number has, according to its first byte; 9 if it is not a number.
int vint_bytes(std::uint64_t first) {
  return std::countl_zero(static_cast<std::uint8_t>(first)) + 1;
}

/// Returns the element at `at`; nullopt if the file ends within the element's header.
std::optional<Element> element_at(FileBytes& file, std::int64_t at) {
  constexpr int kLongestId = 4;
  constexpr int kLongestLength = 8;
  const std::optional<std::uint64_t> first = file.number(at, 1);
  if (!first) return std::nullopt;
  const int id_bytes = vint_bytes(*first);
  if (id_bytes > kLongestId) return Element{};
  const std::optional<std::uint64_t> id = file.number(at, id_bytes);
  const std::optional<std::uint64_t> marked = file.number(at + id_bytes, 1);
  if (!id || !marked) return std::nullopt;
  const int bytes = vint_bytes(*marked);
  if (bytes > kLongestLength) return Element{};
  const std::optional<std::uint64_t> number = file.number(at + id_bytes, bytes);
  if (!number) return std::nullopt;
  const std::uint64_t most = (std::uint64_t{1} << (7 * bytes)) - 1;
  return Element{*id, *number & most, (*number & most) == most, id_bytes + bytes};
}

/// Returns the offset after the block whose content begins at `place`; nullopt if no block begins
/// there.
std::optional<std::int64_t> end_of_block(FileBytes& file, std::int64_t place) {
  constexpr std::uint64_t kSimpleBlock = 0xA3;
  constexpr std::uint64_t kBlock = 0xA1;
  for (int head = 2; head <= 9 && head <= place; ++head) {
    const std::optional<Element> block = element_at(file, place - head);
    const bool fits = block && block->head == head && !block->unknown &&
                      (block->id == kSimpleBlock || block->id == kBlock) &&
                      block->length <= static_cast<std::uint64_t>(file.size() - place);
    if (fits) return place + static_cast<std::int64_t>(block->length);
  }
  return std::nullopt;
}

/// Returns whether the file ends within an element after the last block. Nested elements are read
/// as if all levels were one.
bool is_torn_matroska(FileBytes& file, std::int64_t last_place) {
  constexpr std::array<std::uint64_t, 2> kNoContent{0xEC, 0x1C53BB6B};  // Void, Cues
  std::optional<std::int64_t> at = end_of_block(file, last_place);
  for (int i = 0; at && *at < file.size() && i < kMostParts; ++i) {
    const std::optional<Element> element = element_at(file, *at);
    if (!element) return true;
    if (element->id == 0) return false;
    *at += element->head;
    if (element->unknown) continue;
    if (element->length > static_cast<std::uint64_t>(file.size() - *at))
      return std::ranges::find(kNoContent, element->id) == kNoContent.end();
    *at += static_cast<std::int64_t>(element->length);
  }
  return false;
}

}  // namespace

std::string torn_end(AVFormatContext& input, std::int64_t last_place) {
  FileBytes file(input);
  if (file.size() <= 0) return {};
  const std::string_view format = input.iformat->name;
  if (format.starts_with("mov,")) return torn_mp4(input, file);
  if (format.starts_with("matroska") && is_torn_matroska(file, last_place))
    return "the file ends within an element";
  return {};
}

bool is_torn_riff(AVFormatContext& input) {
  FileBytes file(input);
  std::int64_t at = 0;
  for (int i = 0; i < kMostParts; ++i) {
    const std::optional<std::uint64_t> begin = file.number(at, 8);
    if (!begin || *begin >> 32 != four_cc("RIFF")) return false;
    const std::uint32_t length = __builtin_bswap32(static_cast<std::uint32_t>(*begin));
    at += 8 + std::int64_t{length} + (length & 1U);
    // Some writers count one header (8 bytes) too many.
    if (length == 0 || at > file.size() + 8) return length != 0;
  }
  return false;
}

}  // namespace facepipe::video
