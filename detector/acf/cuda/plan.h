// Computes, on the host, what the kernels of a detector of channel features must know about the
// model and about a stream's pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "detector/acf/cuda/kernels.h"
#include "detector/acf/model/acf.h"

namespace facepipe::detector::acf {

/// Holds an AcfPlan, whose pointers are null, and the arrays to which they will point on the
/// device.
struct AcfTables {
  AcfPlan plan;
  std::vector<BatchPlan> batches;
  std::vector<std::int32_t> tap_index;
  std::vector<float> tap_weight;
  std::vector<DeviceReal> real;
  std::vector<DeviceScale> scales;
  std::vector<Part> real_parts;
  std::vector<Part> resized_rows;
  std::vector<Part> strips;
  std::vector<Part> tiles;
  std::vector<DeviceTree> trees;
  std::vector<DeviceTree> warp_trees;
  std::int64_t resized_samples = 0;
  std::int64_t real_samples = 0;  ///< number of samples in all channels of the real scales
};

/// Returns the model's trees for windows in planes of this layout: `stride` samples from one row to
/// the next, and `plane` samples from one channel to the next. The offsets of a tree are in bytes
/// from the window's first sample. The offsets must fit into 32 bits.
[[nodiscard]] std::vector<DeviceTree> trees_for(const Model& model, std::int64_t stride,
                                                std::int64_t plane);

/// Makes the tables for frames of `layout`, which must be NV12 or P016. Windows whose sum is less
/// than `least_sum` don't pass. `batch_cells` is the largest number of cells in memory at the same
/// time; a single scale may have more. `shared_samples` is the number of samples that fit in a
/// block's shared memory. Throws Error(device) if the enlarged picture is too large for the
/// kernels' indices.
[[nodiscard]] AcfTables make_acf_tables(const Model& model, const StreamLayout& layout,
                                        const SizeLimits& limits, std::int32_t least_sum,
                                        std::int64_t batch_cells, std::size_t shared_samples);

}  // namespace facepipe::detector::acf
