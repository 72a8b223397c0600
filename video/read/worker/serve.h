// The work of a worker process: it reads one input, and decodes its video, for the program.
#pragma once

#include "core/error.h"
#include "video/read/worker/channel.h"

namespace facepipe::video {

/// Opens the input that the first request names, and answers requests until the program closes the
/// channel. Decoders work in threads of their own, each on a channel of its own, and may still do
/// so when this function returns: the process should then end at once.
void serve_input(const Channel& channel);

/// Answers the first request with an error.
void refuse_to_serve(const Channel& channel, const Error& error);

}  // namespace facepipe::video
