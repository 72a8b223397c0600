// Does the first step of every run: finds a decoder that accepts the stream, and decodes its first
// picture.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "video/read/decoder.h"
#include "video/read/source.h"

namespace facepipe::video {

/// The most bytes of packets that are kept until the first picture has come.
inline constexpr std::int64_t kMaxKeptBytes = std::int64_t{64} << 20;

/// Makes the device's decoder. For DecoderChoice::cpu, it makes a CPU decoder for the device
/// instead.
using OpenDecoder = std::function<std::unique_ptr<Decoder>(DecoderChoice choice)>;

/// Returns whether a packet of a stream that isn't the video is wanted. The function is called once
/// for each such packet.
using WantsPacket = std::function<bool(const AVPacket& packet, const Decoder& decoder)>;

/// Holds an input that was read up to its first picture.
struct FirstPicture {
  std::unique_ptr<Decoder> decoder;  ///< it may return more pictures before it needs another packet
  std::optional<DecodedPicture> picture;  ///< none if the input ended before the first picture
  std::deque<ReadPacket> packets;         ///< packets that the decoder hasn't got yet
  std::deque<ReadPacket> kept;            ///< `packets` and all packets before them; empty if over
                                          ///< kMaxKeptBytes
  std::deque<UniqueAVPacket> other_packets;  ///< wanted packets of other streams
  bool ended = false;                        ///< nothing more needs to be read
  bool ended_range = false;   ///< `ended`, because the chosen range ends before the file does
  Clock::duration reading{};  ///< time spent on reading so far
  Clock::duration decoding{};
};

/// Reads `source` from its current position until a picture of the chosen range has come, the input
/// has ended, or the source was stopped. If the device's decoder refuses the stream,
/// DecoderChoice::automatic makes the CPU decode it from the first packet on, and a notice says so.
/// For this, all packets are needed. At most kMaxKeptBytes of packets are kept; if more were read,
/// a refusal is an error. Errors: as `open` and Decoder; Error(device) if the device's decoder
/// refuses and the CPU can't replace it; Error(input) if other streams' packets before the first
/// picture exceed kMaxKeptBytes.
[[nodiscard]] FirstPicture read_first_picture(Source& source, const OpenDecoder& open,
                                              DecoderChoice choice, const WantsPacket& wants,
                                              Notices& notices);

/// Reads the next packet of any stream, and measures how long the read takes.
[[nodiscard]] ReadPacket read_packet(Source& source);

}  // namespace facepipe::video
