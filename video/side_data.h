// Packs side data of packets, streams and pictures into bytes, and checks them when it unpacks
// them. The bytes come from files and from other processes.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/packed.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// The most entries of side data that a packet, a stream or a picture may have.
inline constexpr int kMostSideData = 64;

/// The flags that packets of files have. Others tell FFmpeg's muxers that a packet's bytes are a
/// pointer, which nobody else may tell them.
inline constexpr int kFlagsOfFiles =
    AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_DISPOSABLE;

/// Holds one entry of side data of a packet or a stream.
struct SideData {
  AVPacketSideDataType type{};
  std::string bytes;
};

/// Returns whether a type has this number, and whether so many bytes are as many as FFmpeg expects.
/// FFmpeg reads some types as C structs, and doesn't always look at their length. Types of IAMF,
/// whose structs contain positions, are never whole.
[[nodiscard]] bool is_whole(int type, std::size_t bytes) noexcept;

/// Packs the number of entries, and the entries.
void pack_side_data(Packer& packer, const AVPacketSideData* entries, int count);
/// Unpacks one entry after the other, and calls `take` with the type and the bytes of each. Throws
/// std::out_of_range for more than kMostSideData entries, or too few bytes.
template <typename Take>
void unpack_entries(Unpacker& unpacker, Take take) {
  int count = 0;
  unpacker(count);
  if (count < 0 || count > kMostSideData) throw std::out_of_range("too much side data");
  for (int i = 0; i < count; ++i) {
    int type = 0;
    std::string bytes;
    pack_all(unpacker, type, bytes);
    take(type, std::move(bytes));
  }
}
/// Does the same, but calls `take` with a SideData, and leaves out entries that aren't whole.
template <typename Take>
void unpack_side_data(Unpacker& unpacker, Take take) {
  unpack_entries(unpacker, [&](int type, std::string bytes) {
    if (is_whole(type, bytes.size()))
      take(SideData{static_cast<AVPacketSideDataType>(type), std::move(bytes)});
  });
}

/// Adds an entry to a packet. Throws std::bad_alloc.
void add_side_data(AVPacket& packet, const SideData& data);

/// Packs the side data of a picture that the program uses.
void pack_side_data(Packer& packer, const AVFrame& picture);
/// Adds the packed side data to a picture. Leaves out types that the program doesn't use, and data
/// that aren't as FFmpeg writes them. Throws std::out_of_range as above; std::bad_alloc.
void unpack_side_data(Unpacker& unpacker, AVFrame& picture);

}  // namespace facepipe::video
