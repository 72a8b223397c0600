// Declares the kernels that run between the runs of the network: for the tiles of a picture, and
// for several looks at a picture (detector/cuda_looks_detector.h). They select a tile, and join the
// candidates of several runs.
#pragma once

#include <cstdint>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/geometry.h"
#include "detector/tiling.h"

namespace facepipe::detector::engine {

/// Sets *view to the part of the picture *frame that begins at `begin`, whose coordinates are even.
void launch_view(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                 int bytes_per_sample, cuda::StreamView stream);

/// Appends the candidates of `from` whose boxes lie inside `kept` to `to`, in their order, moved by
/// `by`. *to.count also counts those for which `to` has no room. The number of candidates for which
/// `from` had no room is added to *to.lost. If only `to` has landmarks, the candidates get
/// kNoLandmarks. Throws Error(internal) if to.lost is null.
/// @param first_class  is added to the classes, if `to` has classes
void launch_append(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                   const Box& kept, PixelPlace by, cuda::StreamView stream,
                   std::uint16_t first_class = 0);

/// Does the same as append_mirrored() of detector/mirror.h for all of `from`, bit for bit, with
/// their classes. It updates the numbers of detections as launch_append() does.
void launch_append_mirrored(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                            int width, cuda::StreamView stream);

/// Does the same as append_turned_back() of detector/turned_faces.h for all of `from`, bit for bit,
/// with their classes; the candidates get kNoLandmarks. It updates the numbers of detections as
/// launch_append() does.
void launch_append_turned_back(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                               int quarter_turns, Size upright, cuda::StreamView stream);

}  // namespace facepipe::detector::engine
