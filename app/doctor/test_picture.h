// A picture to try detectors with, made here so that nothing needs to be fetched.
#pragma once

#include "core/frame.h"

namespace facepipe {

/// Three drawn faces of different sizes before a slanted ramp: planar 4:2:0 of 8 bits, limited
/// range, in host memory. CenterFace gives them scores from 0.2 to 0.8, so that what an engine
/// computes wrongly shows in the scores.
[[nodiscard]] Frame test_picture();

}  // namespace facepipe
