// Searches on the device with a coarse detector and then with the fine detector; see coarse.h.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "detector/acf/cuda/device_memory.h"
#include "detector/acf/model/acf.h"
#include "experiments/programs/acf_variants/variants.h"

namespace facepipe::acf_variants {

/// The arguments of the kernels. Coarse cells have planes like those of the fine cells. Each
/// scale's coarse cells are in the upper left quarter of the scale's area.
struct CoarseArguments {
  VariantArguments fine;
  const detector::acf::DeviceScale* scales = nullptr;  ///< scales with the places of coarse windows
  const detector::acf::DeviceTree* trees = nullptr;
  std::int32_t tree_count = 0;
  std::int32_t threshold = 0;
  float* cells = nullptr;
  std::uint32_t windows = 0;  ///< number of coarse windows of all scales
};

void launch_coarse_cells(const CoarseArguments& arguments, Size largest, cuda::StreamView stream);
/// Lists the fine windows that the coarse detector leaves.
void launch_coarse_windows(const CoarseArguments& arguments, cuda::StreamView stream);

class CoarseScan {
 public:
  /// `plan` belongs to the fine model, and must outlive this object. Throws what expect_halves()
  /// and windows_of() throw.
  CoarseScan(const detector::acf::PlanOnDevice& plan, const detector::acf::Model& fine,
             const detector::acf::Model& coarse);

  /// Enqueues the search of buffers.cells. Clears the counts of buffers.found first. Adds the
  /// windows that pass both detectors.
  void enqueue(const detector::acf::AcfBuffers& buffers, cuda::StreamView stream) const;

  /// Waits for the stream. Returns the number of fine windows that the coarse detector left in the
  /// last search.
  [[nodiscard]] std::uint32_t left(cuda::StreamView stream) const;

 private:
  const detector::acf::PlanOnDevice& plan_;
  std::int32_t threshold_;
  std::uint32_t fine_windows_;
  std::uint32_t windows_ = 0;
  Size largest_;  ///< coarse cells of the largest scale
  cuda::DeviceBuffer<detector::acf::DeviceScale> scales_;
  cuda::DeviceBuffer<detector::acf::DeviceTree> trees_;
  cuda::DeviceBuffer<float> cells_;
  cuda::DeviceBuffer<detector::acf::SummedPlace> left_;
  cuda::DeviceBuffer<std::uint32_t> count_;
};

}  // namespace facepipe::acf_variants
