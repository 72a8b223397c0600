// Makes the small luma of a picture in device memory, so that the host can estimate motion.
#pragma once

#include <cstdint>
#include <memory>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "track/cpu/motion.h"

namespace facepipe::pipeline {

/// Estimates motion on the host for pictures in device memory. The device makes a small luma, a
/// quarter of a picture's luma, and copies it to the host. Bound to the device that is current at
/// construction.
class SmallLuma final : public track::CpuMotionEstimator {
 public:
  /// @param stored  size of the pictures
  /// Errors: Error(device).
  SmallLuma(Size stored, CopyCounter& copies);

  /// Errors: Error(device); Error(internal) for a frame of another size.
  [[nodiscard]] std::shared_ptr<const track::MotionPicture> make_picture(
      const Frame& frame) override;

  /// Returns the luma that make_luma() returns on the host. Waits for the device. Errors: as
  /// make_picture().
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
