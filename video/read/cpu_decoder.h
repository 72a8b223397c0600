// Makes decoders that run on the CPU.
#pragma once

#include <memory>

#include "video/notices.h"
#include "video/read/decoder.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Makes a decoder that decodes on the CPU, through FFmpeg, into frames in host memory. `demuxer`
/// and `notices` must outlive the decoder. Errors: Error(input) if FFmpeg has no decoder.
/// If a worker process reads the input, the decoder works there (make_remote_decoder()).
[[nodiscard]] std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer,
                                                        const DecoderOptions& options,
                                                        Notices& notices);

/// Makes an object that turns pictures in this process's memory into frames like `target`. `first`
/// is the first of these pictures. All references must outlive the result.
[[nodiscard]] std::unique_ptr<FrameMaker> make_cpu_frames(const Demuxer& demuxer,
                                                          const FrameTarget& target,
                                                          const AVFrame& first,
                                                          bool scale_on_change, Notices& notices);

}  // namespace facepipe::video
