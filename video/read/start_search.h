// Finds where reading must begin for a chosen start time.
#pragma once

#include "video/read/demuxer.h"

namespace facepipe::video {

/// Moves the demuxer before a key frame that is shown at most `seconds` after the input's first
/// stamp. All pictures from that time on can then be decoded. If there is no such frame, it moves
/// to the input's beginning. If the input doesn't support seeking, it doesn't move. Call it before
/// you read packets that you want to keep.
void seek_to_start(Demuxer& demuxer, double seconds);

}  // namespace facepipe::video
