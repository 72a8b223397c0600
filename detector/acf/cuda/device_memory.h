// Owns the device memory of a detector of channel features: its plan, and the memory of a frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/buffer.h"
#include "detector/acf/cuda/kernels.h"
#include "detector/acf/cuda/plan.h"

namespace facepipe::detector::acf {

/// Holds the arrays of a plan in device memory. Allows kernels to use the shared memory that they
/// need. Throws Error(device) if the current device has less shared memory, or has no memory left.
class PlanOnDevice {
 public:
  explicit PlanOnDevice(AcfTables tables);

  /// Returns the tables as they were made on the host. Only the arrays of plan() are on the device.
  [[nodiscard]] const AcfTables& tables() const { return tables_; }
  [[nodiscard]] const AcfPlan& plan() const { return tables_.plan; }

 private:
  AcfTables tables_;
  cuda::DeviceBuffer<float> lightness_;
  cuda::DeviceBuffer<std::int32_t> tap_index_;
  cuda::DeviceBuffer<float> tap_weight_;
  cuda::DeviceBuffer<DeviceReal> real_;
  cuda::DeviceBuffer<DeviceScale> scales_;
  cuda::DeviceBuffer<Part> real_parts_;
  cuda::DeviceBuffer<Part> resized_rows_;
  cuda::DeviceBuffer<Part> strips_;
  cuda::DeviceBuffer<Part> tiles_;
  cuda::DeviceBuffer<DeviceTree> trees_;
  cuda::DeviceBuffer<DeviceTree> warp_trees_;
};

/// Holds the memory of one frame, for a plan of `tables`.
class FrameMemory {
 public:
  explicit FrameMemory(const AcfTables& tables);

  [[nodiscard]] AcfBuffers buffers() const;

 private:
  cuda::DeviceBuffer<std::uint32_t> counts_;
  cuda::DeviceBuffer<float> luv_;
  cuda::DeviceBuffer<float> half_;
  cuda::DeviceBuffer<float> resized_;
  cuda::DeviceBuffer<float> real_;
  cuda::DeviceBuffer<float> cells_;
  cuda::DeviceBuffer<SummedPlace> found_;
  cuda::DeviceBuffer<Box> boxes_;
};

}  // namespace facepipe::detector::acf
