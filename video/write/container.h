// What a container format can hold.
#pragma once

#include <filesystem>
#include <string>

#include "video/ffmpeg.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Whether the muxer takes such a stream, and readers know it again; asks the muxer itself where
/// its tables don't say. Of image formats, a file's name decides (choose_codec()).
[[nodiscard]] bool can_hold(const AVOutputFormat& format, const AVCodecParameters& stream);
[[nodiscard]] bool can_hold(const AVOutputFormat& format, AVCodecID codec, AVMediaType type);

/// The muxer that FFmpeg calls `name`, or where that is empty the one for a file name. Errors:
/// Error(usage) for a name, Error(output) for an extension that FFmpeg has no muxer for.
[[nodiscard]] const AVOutputFormat& muxer_for(const std::filesystem::path& path,
                                              const std::string& name = {});

/// Names as in AVOutputFormat::name: the family of MP4 and QuickTime, and that of Matroska.
[[nodiscard]] bool is_mov_family(const AVOutputFormat& format);
[[nodiscard]] bool is_matroska_family(const AVOutputFormat& format);
[[nodiscard]] bool is_image_format(const AVOutputFormat& format);
/// AVIF, whose one picture is a video of one frame to FFmpeg.
[[nodiscard]] bool is_avif(const AVOutputFormat& format);

/// Whether the muxer writes from front to back and never goes back, so that the file can be a FIFO.
[[nodiscard]] bool needs_no_seeking(const AVOutputFormat& format);

/// Whether the muxer writes a packet's bytes in one piece, or pieces of many packets.
[[nodiscard]] bool writes_packets_whole(const AVOutputFormat& format);

/// Time stamps are a count of frames: AVI and others.
[[nodiscard]] bool has_fixed_frame_rate(const AVOutputFormat& format);

/// Whether nothing goes wrong where a packet's stamp is a little below zero, as that of sound that
/// primes a decoder: the format stores such stamps, readers of Matroska know them again, or what it
/// stores is no stamp.
[[nodiscard]] bool holds_negative_stamps(const AVOutputFormat& format);

/// Packets of such a stream come one after the other, whatever their stamps say; AVI alone repeats
/// pictures where there is a gap.
[[nodiscard]] bool keeps_no_times(const AVOutputFormat& format, AVMediaType type);

/// A packet has one time at most, that of decoding: pictures that are shown in another order come
/// too late against the sound.
[[nodiscard]] bool stores_decoding_order_alone(const AVOutputFormat& format);

/// MPEG's program stream (MPEG-PS, VCD, DVD): a packet of it has one time, of what begins in it
/// first.
[[nodiscard]] bool is_program_stream(const AVOutputFormat& format);

/// The extension, with the dot, of an input's output in a format: the input's own where it is one
/// of the format's, else the format's first; empty where it has none.
[[nodiscard]] std::string extension_for(const AVOutputFormat& format, const std::string& input);

inline constexpr const char* kMatroskaExtension = ".mkv";

/// The extension, with the dot, of the output of an input where no format is named: the input's own
/// where FFmpeg can write its container and that holds what `encoder` (empty: the default) makes,
/// else Matroska's.
[[nodiscard]] std::string output_extension(const Demuxer& input, const std::string& encoder);

}  // namespace facepipe::video
