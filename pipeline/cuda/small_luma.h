// The small luma in which motion is looked for, made where the picture is.
#pragma once

#include <cstdint>
#include <memory>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/cpu/motion.h"

namespace facepipe::pipeline {

/// The host's motion estimator of pictures in device memory: their small lumas come to the host, a
/// quarter of a picture's luma each. Bound to the device current at construction.
class SmallLuma final : public track::CpuMotionEstimator {
 public:
  /// For pictures of `stored` size. Errors: Error(device).
  SmallLuma(Size stored, CopyCounter& copies);

  /// Errors: Error(device); Error(internal) for a frame of another size.
  [[nodiscard]] std::shared_ptr<const track::MotionPicture> look_at(const Frame& frame) override;

  /// make_luma() of the frame. Waits for it. Errors: the same.
  [[nodiscard]] track::Luma of(const Frame& frame);

 private:
  Size stored_;
  CopyCounter& copies_;
  cuda::Stream stream_;
  cuda::DeviceBuffer<std::uint8_t> device_;
  cuda::PinnedBuffer<std::uint8_t> host_;
  cuda::Event there_{cuda::Event::Timing::off, cuda::Event::Wait::sleeping};
};

}  // namespace facepipe::pipeline
