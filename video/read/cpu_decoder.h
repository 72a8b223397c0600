// Makes decoders that run on the CPU.
#pragma once

#include <memory>

#include "video/notices.h"
#include "video/read/decoder.h"
#include "video/read/demuxer.h"

namespace facepipe::video {

/// Makes a decoder that decodes on the CPU, through FFmpeg, into frames in host memory. `demuxer`
/// and `notices` must outlive the decoder. Errors: Error(input) if FFmpeg has no decoder.
[[nodiscard]] std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer,
                                                        const DecoderOptions& options,
                                                        Notices& notices);

}  // namespace facepipe::video
