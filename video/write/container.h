// Says what a container format can store.
#pragma once

#include <filesystem>
#include <string>

#include "video/ffmpeg.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Returns whether the muxer takes such a stream and readers recognise it. If the muxer's tables
/// don't say this, the muxer itself is tried. For image formats, the file's name decides instead
/// (see choose_codec()).
[[nodiscard]] bool can_hold(const AVOutputFormat& format, const AVCodecParameters& stream);
[[nodiscard]] bool can_hold(const AVOutputFormat& format, AVCodecID codec, AVMediaType type);

/// Returns the muxer that FFmpeg calls `name`. If `name` is empty, returns the muxer for the name
/// of the file. Errors: Error(usage) for a name without a muxer, Error(output) for an extension
/// without one.
[[nodiscard]] const AVOutputFormat& muxer_for(const std::filesystem::path& path,
                                              const std::string& name = {});

/// These functions return whether AVOutputFormat::name belongs to a family: MP4 and QuickTime,
/// Matroska, images.
[[nodiscard]] bool is_mov_family(const AVOutputFormat& format);
[[nodiscard]] bool is_matroska_family(const AVOutputFormat& format);
[[nodiscard]] bool is_image_format(const AVOutputFormat& format);
/// Returns whether the format is AVIF. FFmpeg treats its one picture as a video of one frame.
[[nodiscard]] bool is_avif(const AVOutputFormat& format);

/// Returns whether the muxer writes from front to back and never seeks. Then the file can be a
/// FIFO.
[[nodiscard]] bool needs_no_seeking(const AVOutputFormat& format);

/// Returns whether the muxer writes the bytes of each packet in one piece.
[[nodiscard]] bool writes_packets_whole(const AVOutputFormat& format);

/// Returns whether the format stores time stamps as a count of frames, as AVI does.
[[nodiscard]] bool has_fixed_frame_rate(const AVOutputFormat& format);

/// Returns whether a packet's stamp may be slightly below zero, as for sound that only starts a
/// decoder. It may be negative if the format stores such stamps, if readers recognise them
/// (Matroska), or if the format doesn't store stamps but something else.
[[nodiscard]] bool holds_negative_stamps(const AVOutputFormat& format);

/// Returns whether the format stores no times for such a stream. Its packets then follow each other
/// without gaps. Video in AVI isn't such a stream, because AVI repeats pictures in a gap.
[[nodiscard]] bool keeps_no_times(const AVOutputFormat& format, AVMediaType type);

/// Returns whether the format stores only decoding times. Pictures that are shown in another order
/// are then late, compared with the sound.
[[nodiscard]] bool stores_decoding_order_alone(const AVOutputFormat& format);

/// Returns whether the format is MPEG's program stream (MPEG-PS, VCD, DVD). Each packet of this
/// format has one time: the time of the first picture or sound that begins in the packet.
[[nodiscard]] bool is_program_stream(const AVOutputFormat& format);

/// Returns the extension, with the dot, for an input's output in a format: the input's own
/// extension if that belongs to the format, otherwise the format's first extension; empty if the
/// format has no extension.
[[nodiscard]] std::string extension_for(const AVOutputFormat& format, const std::string& input);

inline constexpr const char* kMatroskaExtension = ".mkv";

/// Returns the extension, with the dot, for an input's output if no format is named. It is the
/// input's own extension if FFmpeg can write that container, and if the container can store the
/// result of `encoder` (empty: the default encoder). Otherwise it is Matroska's.
[[nodiscard]] std::string output_extension(const Demuxer& input, const std::string& encoder);

}  // namespace facepipe::video
