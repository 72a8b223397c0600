// Says what a container format can hold.
#pragma once

#include <filesystem>
#include <string>

#include "video/ffmpeg.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Returns whether the muxer takes such a stream, and readers recognise it. If the muxer's tables
/// don't say, the muxer itself is asked. For image formats, the file's name decides
/// (choose_codec()).
[[nodiscard]] bool can_hold(const AVOutputFormat& format, const AVCodecParameters& stream);
[[nodiscard]] bool can_hold(const AVOutputFormat& format, AVCodecID codec, AVMediaType type);

/// Returns the muxer that FFmpeg calls `name`, or if that is empty the muxer for a file name.
/// Errors: Error(usage) for a name without a muxer, Error(output) for an extension without one.
[[nodiscard]] const AVOutputFormat& muxer_for(const std::filesystem::path& path,
                                              const std::string& name = {});

/// These functions compare AVOutputFormat::name with the names of a family: MP4 and QuickTime,
/// Matroska, images.
[[nodiscard]] bool is_mov_family(const AVOutputFormat& format);
[[nodiscard]] bool is_matroska_family(const AVOutputFormat& format);
[[nodiscard]] bool is_image_format(const AVOutputFormat& format);
/// Returns whether the format is AVIF. For FFmpeg, its one picture is a video of one frame.
[[nodiscard]] bool is_avif(const AVOutputFormat& format);

/// Returns whether the muxer writes from front to back and never goes back. Then the file can be a
/// FIFO.
[[nodiscard]] bool needs_no_seeking(const AVOutputFormat& format);

/// Returns whether the muxer writes a packet's bytes in one piece, and not in parts of several
/// packets.
[[nodiscard]] bool writes_packets_whole(const AVOutputFormat& format);

/// Returns whether time stamps are a count of frames, as in AVI.
[[nodiscard]] bool has_fixed_frame_rate(const AVOutputFormat& format);

/// Returns whether nothing goes wrong if a packet's stamp is a little below zero, as for sound that
/// starts a decoder. This is so if the format stores such stamps, if readers of Matroska recognise
/// them, or if what the format stores is no stamp.
[[nodiscard]] bool holds_negative_stamps(const AVOutputFormat& format);

/// Returns whether packets of such a stream follow each other without gaps, so their stamps don't
/// matter. Video in AVI is the exception: it repeats pictures in a gap.
[[nodiscard]] bool keeps_no_times(const AVOutputFormat& format, AVMediaType type);

/// Returns whether a packet has at most one time, that of decoding. Then pictures that are shown in
/// another order come too late against the sound.
[[nodiscard]] bool stores_decoding_order_alone(const AVOutputFormat& format);

/// Returns whether the format is MPEG's program stream (MPEG-PS, VCD, DVD). A packet of it has one
/// time: that of the first picture or sound that begins in it.
[[nodiscard]] bool is_program_stream(const AVOutputFormat& format);

/// Returns the extension, with the dot, for an input's output in a format. It is the input's own if
/// it belongs to the format, otherwise the format's first; empty if the format has none.
[[nodiscard]] std::string extension_for(const AVOutputFormat& format, const std::string& input);

inline constexpr const char* kMatroskaExtension = ".mkv";

/// Returns the extension, with the dot, for an input's output if no format is named. It is the
/// input's own if FFmpeg can write its container, and this holds what `encoder` (empty: the
/// default) makes. Otherwise it is Matroska's.
[[nodiscard]] std::string output_extension(const Demuxer& input, const std::string& encoder);

}  // namespace facepipe::video
