// Defines what a worker process and the program tell each other about an input. A hostile input can
// take over the worker, so the program checks each size, count and enumeration before it uses it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/geometry.h"
#include "core/packed.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// What the program asks a worker to do. The answer to each request begins with an Answer.
enum class Request : std::uint8_t {
  // To the worker's demuxer:
  open,        ///< the input, with its name and the limit of pixels: a description of the input
  read,        ///< a packet, with the changed facts before it; at the end, only facts
  work_on,     ///< another stream: facts
  discard,     ///< a stream
  seek,        ///< whether it was possible, and facts
  open_codec,  ///< a decoder that answers on the socket that comes with the request
  // To a decoder:
  send,     ///< a packet: FFmpeg's code
  drain,    ///< the end: FFmpeg's code
  receive,  ///< FFmpeg's code, and what is known of a picture, whose samples are in the memory
  flush,
  hold,  ///< memory for pictures, which comes with the request
};

enum class Answer : std::uint8_t {
  done,
  error,        ///< an Error
  needs_memory  ///< to Request::receive: the picture's format and size; ask again after `hold`
};

/// What a Demuxer knows of its input besides FFmpeg's structures.
struct InputFacts {
  int video_index = 0;
  int first_late = 0;  ///< streams from this index on were found only after the opening
  bool still_in_boxes = false;
  std::optional<Orientation> orientation;
  std::vector<std::string> left_out;
  Rational frame_rate{25, 1};
  std::int64_t duration_us = 0;
  std::string shortfall;
  std::string read_error;
  std::optional<Error> failure;
};

void pack_error(Packer& packer, const Error& error);
/// Throws std::out_of_range for bytes that pack_error() doesn't make.
[[nodiscard]] Error unpacked_error(Unpacker& unpacker);
/// Throws the unpacked error, which is a PassingError if the packed one was.
[[noreturn]] void throw_error(Unpacker& unpacker);

void pack_facts(Packer& packer, const InputFacts& facts);
/// Throws std::out_of_range for facts that can't be, for an input with `streams` streams.
[[nodiscard]] InputFacts unpacked_facts(Unpacker& unpacker, unsigned streams);

/// Packs what a demuxer says about an input: the format, the tags, all streams, and how the file
/// can be read.
void pack_input(Packer& packer, const AVFormatContext& input);
/// Returns a context that says the same, but reads nothing: it has no URL, and its I/O context has
/// no file. Throws
/// std::out_of_range for a description that can't be; std::bad_alloc.
[[nodiscard]] UniqueInputContext unpacked_input(Unpacker& unpacker);

/// Packs what changes about streams while they are read, and the streams from `known` on.
void pack_streams(Packer& packer, const AVFormatContext& input, unsigned known);
/// Adds what pack_streams() has packed. Throws as unpacked_input().
void unpack_streams(Unpacker& unpacker, AVFormatContext& input);

/// Packs a packet, except for its bytes.
void pack_packet(Packer& packer, const AVPacket& packet);
/// Unpacks it into a packet that has its bytes. Throws std::out_of_range; std::bad_alloc.
void unpack_packet(Unpacker& unpacker, AVPacket& packet);

/// Says where the samples of a picture lie in the memory that a worker and the program share. Both
/// derive it from the picture's format and size.
struct PictureMemory {
  std::array<int, 4> strides{};
  std::array<std::size_t, 4> offsets{};
  std::size_t bytes = 0;

  /// Returns the addresses of the planes; nullptr for planes that the format doesn't have.
  [[nodiscard]] std::array<std::uint8_t*, 4> planes(std::uint8_t* memory) const;
};

/// Holds a picture's format and size.
struct SharedShape {
  int format = AV_PIX_FMT_NONE;
  Size size;
  friend bool operator==(const SharedShape&, const SharedShape&) = default;
};

/// Returns where the samples of such pictures lie. Throws std::out_of_range if there are no such
/// pictures in a process's own memory, or if they are larger than facepipe allows.
[[nodiscard]] PictureMemory memory_of(const SharedShape& shape);

/// Returns the bits of each 16-bit word that samples of this format may use. Returns 0 if they may
/// use all, or if the samples aren't such words. Codecs rely on this, and decoders keep to it.
[[nodiscard]] std::uint16_t sample_mask(int format);

void pack_shape(Packer& packer, const SharedShape& shape);
[[nodiscard]] SharedShape unpacked_shape(Unpacker& unpacker);

/// Packs what is known of a decoded picture besides its shape and its samples.
void pack_picture(Packer& packer, const AVFrame& picture);
/// Unpacks it into a picture. Throws std::out_of_range; std::bad_alloc.
void unpack_picture(Unpacker& unpacker, AVFrame& picture);

/// Holds what the program wants to know of a codec that decodes in a worker.
struct CodecState {
  Size coded;
  int has_b_frames = 0;
  int active_thread_type = 0;
  std::optional<Size> refused;  ///< a size of pictures that the codec has refused
};
void pack_state(Packer& packer, const CodecState& state);
[[nodiscard]] CodecState unpacked_state(Unpacker& unpacker);

}  // namespace facepipe::video
