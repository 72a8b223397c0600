// Decodes in a worker process.
#pragma once

#include <memory>

#include "video/notices.h"
#include "video/read/decoder.h"

namespace facepipe::video {

/// Makes a decoder whose codec works in the worker of `demuxer`, which must have one
/// (Demuxer::remote()). It copies each picture once out of memory that it shares with the worker,
/// so that the worker can't change a picture that the program works on. Errors: Error(input), also
/// from all its functions if the worker ends.
[[nodiscard]] std::unique_ptr<Decoder> make_remote_decoder(const Demuxer& demuxer,
                                                           const DecoderOptions& options,
                                                           Notices& notices);

}  // namespace facepipe::video
