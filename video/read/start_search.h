// Finds where reading begins for a chosen start.
#pragma once

#include "video/read/demuxer.h"

namespace facepipe::video {

/// Moves in front of a key frame that is shown `seconds` after the input's first stamp, or earlier.
/// So all pictures from that time on can be decoded. If there is no such frame, it moves to the
/// input's beginning. If the input can't be sought, it doesn't move. Must be called before the
/// caller has read anything that it wants to keep.
void seek_to_start(Demuxer& demuxer, double seconds);

}  // namespace facepipe::video
