// Opens FFmpeg's decoders for the video of an input.
#pragma once

#include <functional>

#include "video/ffmpeg.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Returns FFmpeg's usual decoder for the video, or a decoder that also decodes the video's
/// transparency. Errors: Error(input) if there is none.
[[nodiscard]] const AVCodec& usual_codec(const Demuxer& demuxer);

/// Opens a decoder for the video, after `prepare`, which may be empty, has set options in its
/// context.
/// @param threads  threads of the decoder; 0: as many as the machine has
/// Errors: Error(input).
[[nodiscard]] UniqueCodecContext open_codec_of(const Demuxer& demuxer, const AVCodec& codec,
                                               int threads,
                                               const std::function<void(AVCodecContext&)>& prepare);

/// Returns what makes a decoder leave out frames between others that no other frame needs.
/// @param wanted  false: returns an empty function
[[nodiscard]] std::function<void(AVCodecContext&)> leaving_out_unneeded(bool wanted);

}  // namespace facepipe::video
