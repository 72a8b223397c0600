// Where reading begins for a chosen start.
#pragma once

#include "video/read/demuxer.h"

namespace facepipe::video {

/// Moves to a place in front of a key frame that is shown `seconds` after the input's first stamp,
/// or before that, so that all pictures from there on can be decoded; to the input's begin where
/// there is no such frame, and nowhere where the input can't be sought. Called before anything that
/// the caller wants to keep was read.
void seek_to_start(Demuxer& demuxer, double seconds);

}  // namespace facepipe::video
