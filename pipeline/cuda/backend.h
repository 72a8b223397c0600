// Makes the backends of a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// Makes a backend that works on a CUDA device. NVDEC decodes, or the CPU decodes and the pictures
/// are uploaded. One graph for each frame runs our own engine, suppression and overlay. nvJPEG or
/// NVENC encodes the picture on the device, or FFmpeg encodes it on the CPU after one download (see
/// plan_cuda_encoder()). Reads the model. Makes `device` the calling thread's current device.
///
/// If the engine works_in_host_memory(), makes the backend of host_frames.h instead.
/// Errors: as make_cuda_detector_factory(); as make_detector_factory().
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(Device device,
                                                         const detector::DetectorOptions& options);

/// Makes a backend without a model. It is only for jobs with known tracks (HideJob::known). Makes
/// `device` the calling thread's current device. Errors: device, also if this build has no code for
/// the chip.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_renderer(Device device);

/// Returns whether a CUDA device's backend decodes on the CPU. It does if the user chose the CPU,
/// or if the input is a still image and the user chose no decoder. On an H200, NVDEC's decoder
/// takes 45 ms to create, but the CPU decodes a JPEG of 1080p in 13 ms.
[[nodiscard]] bool decodes_on_cpu(video::DecoderChoice choice, const video::Demuxer& demuxer);

}  // namespace facepipe::pipeline
