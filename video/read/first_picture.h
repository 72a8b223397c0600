// Makes the first step of every run: finds a decoder that takes the stream, and decodes its first
// picture.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "video/read/decoder.h"
#include "video/read/source.h"

namespace facepipe::video {

/// The most memory for packets that are kept until the first picture has come, in bytes.
inline constexpr std::int64_t kMaxKeptBytes = std::int64_t{64} << 20;

/// Makes a decoder of the device, or with DecoderChoice::cpu a decoder of the CPU for the device.
using OpenDecoder = std::function<std::unique_ptr<Decoder>(DecoderChoice choice)>;

/// Returns whether a packet of another stream than the video is wanted. It is asked once for each
/// such packet.
using WantsPacket = std::function<bool(const AVPacket& packet, const Decoder& decoder)>;

/// An input that was read up to its first picture.
struct FirstPicture {
  std::unique_ptr<Decoder> decoder;       ///< may have more pictures without another packet
  std::optional<DecodedPicture> picture;  ///< none if the input ended before the first picture
  std::deque<ReadPacket> packets;         ///< packets that the decoder hasn't got yet
  std::deque<ReadPacket> kept;  ///< `packets`, and all before; empty if over kMaxKeptBytes
  std::deque<UniqueAVPacket> other_packets;  ///< wanted packets of other streams
  bool ended = false;                        ///< nothing more is to be read
  bool ended_range = false;   ///< nothing more is to be read, because the chosen range ends before
                              ///< the file does
  Clock::duration reading{};  ///< time spent so far
  Clock::duration decoding{};
};

/// Reads `source` from its current position until a picture of the chosen range has come, the
/// input has ended, or the source was stopped. With DecoderChoice::automatic, the CPU decodes what
/// the device's decoder refuses, from the first packet on, and `notices` says so. At most
/// kMaxKeptBytes of packets are kept; if more were read, a refusal is an error. Errors: as `open`
/// and Decoder; Error(device) if the device's decoder refuses and the CPU may not replace it;
/// Error(input) if other streams' packets before the first picture exceed kMaxKeptBytes.
[[nodiscard]] FirstPicture read_first_picture(Source& source, const OpenDecoder& open,
                                              DecoderChoice choice, const WantsPacket& wants,
                                              Notices& notices);

/// Reads the next packet of any stream, and notes how long that took.
[[nodiscard]] ReadPacket read_packet(Source& source);

}  // namespace facepipe::video
