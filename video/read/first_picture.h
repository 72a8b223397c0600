// The first step of every run: a decoder that takes the stream, and its first picture.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "video/read/decoder.h"

namespace facepipe::video {

/// Memory for packets that are kept until the first picture has come.
inline constexpr std::int64_t kMaxKeptBytes = std::int64_t{64} << 20;

/// Makes a decoder of the device's, or with DecoderChoice::cpu one of the CPU's for it.
using OpenDecoder = std::function<std::unique_ptr<Decoder>(DecoderChoice choice)>;

/// Whether a packet of another stream than the video is wanted. Asked once for each of them.
using WantsPacket = std::function<bool(const AVPacket& packet, const Decoder& decoder)>;

/// An input, read up to its first picture.
struct FirstPicture {
  std::unique_ptr<Decoder> decoder;       ///< may have more pictures at once
  std::optional<DecodedPicture> picture;  ///< none where the input ended before there was one
  std::deque<ReadPacket> packets;         ///< read, but not yet sent to the decoder
  std::deque<ReadPacket> kept;  ///< those, and all before them; empty if more than kMaxKeptBytes
  std::deque<UniqueAVPacket> other_packets;  ///< read meanwhile, and wanted
  bool ended = false;                        ///< there is nothing more to read
  bool ended_range = false;   ///< likewise, because the chosen range ends before the file does
  Clock::duration reading{};  ///< time spent so far
  Clock::duration decoding{};
};

/// Reads `demuxer`, from where it stands, until a picture of the chosen range has come, the input
/// has ended, or the demuxer was stopped. With DecoderChoice::automatic the CPU decodes what the
/// device's decoder refuses, from the first packet on, which is told in `notices`. Packets are
/// kept, but of kMaxKeptBytes at most: after more than that a refusal is an error. Errors: as
/// `open` and Decoder; Error(device) where the device's decoder refuses and the CPU may not take
/// its place; Error(input) where other streams' packets before the first picture take more than
/// kMaxKeptBytes.
[[nodiscard]] FirstPicture read_first_picture(Demuxer& demuxer, const OpenDecoder& open,
                                              DecoderChoice choice, const WantsPacket& wants,
                                              Notices& notices);

/// The next packet, and when it was read.
[[nodiscard]] ReadPacket read_packet(Demuxer& demuxer);

}  // namespace facepipe::video
