// What happens on the device between the runs of the network of a tiled picture.
#pragma once

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "detector/cnn/model/tiling.h"

namespace facepipe::engine {

/// *view becomes the part of the picture *frame that begins at a sample of even coordinates.
void launch_view(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                 int bytes_per_sample, cuda::StreamView stream);

/// Appends in their order the candidates `from` whose boxes lie in `kept`, moved by `by`, to `to`.
/// Candidates that `from` had no room for are counted, as are those that `to` has none for. Where
/// to.landmarks isn't null, from.landmarks isn't either.
void launch_append(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                   const Box& kept, PixelPlace by, cuda::StreamView stream);

}  // namespace facepipe::engine
