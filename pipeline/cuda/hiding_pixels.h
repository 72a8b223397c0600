// What hiding does with pictures in device memory.
#pragma once

#include <memory>

#include "core/copies.h"
#include "core/device.h"
#include "core/frame.h"
#include "overlay/hide.h"
#include "pipeline/hiding.h"

namespace facepipe {

/// What all frames of a job have in common.
struct HidingPictures {
  Device device;
  Size size;  ///< stored
  PixelFormat format;
  int waiting = 1;  ///< at once, with those that an encoder holds
};

/// A frame that waits is copied out of its decoder's surface, of which there are 32 at most, into
/// memory of its own; all of that is allocated for the first. Hidden frames carry Frame::ready.
/// Several may hide on a frame one after the other. CUDA's current device must be the frames';
/// `copies` must outlive it, and frames may. Errors: Error(device); as check_hide_options().
[[nodiscard]] std::unique_ptr<HidingPixels> make_cuda_hiding_pixels(const HideOptions& look,
                                                                    const HidingPictures& pictures,
                                                                    CopyCounter& copies);

}  // namespace facepipe
