// The whole way of a frame on a CUDA device.
#pragma once

#include <memory>

#include "core/device.h"
#include "detector/options.h"
#include "pipeline/backend.h"

namespace facepipe::pipeline {

/// NVDEC (or the CPU and a named upload), our own engine, suppression and overlay in one graph a
/// frame, and an encoder: nvJPEG's or NVENC's, which take the picture where it is, or one of
/// FFmpeg's on the CPU after one named download. Which one: see plan_cuda_encoder(). Reads the
/// model; makes `device` the calling thread's.
/// With an engine that works_in_host_memory(): a backend of frames there, see host_frames.h.
/// Errors: as make_cuda_detector_factory(); as make_detector_factory().
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(Device device,
                                                         const detector::DetectorOptions& options);

/// The same without a model, for jobs alone that look for nothing (HideJob::known). Refuses a chip
/// that this build has no code for. Makes `device` the calling thread's. Errors: device.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_renderer(Device device);

/// Whether a CUDA device's backend lets the CPU decode: where it was chosen, and still images where
/// nothing was, since to make NVDEC's decoder takes 45 ms on an H200, to decode a JPEG of 1080p on
/// the CPU 13.
[[nodiscard]] bool decodes_on_cpu(video::DecoderChoice choice, const video::Demuxer& demuxer);

}  // namespace facepipe::pipeline
