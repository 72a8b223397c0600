// Computes one frame's channels on the device like our detector, and finds windows in them with our
// scan or the variants.
#pragma once

#include <cstddef>
#include <vector>

#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/acf/cuda/device_memory.h"
#include "detector/acf/model/acf.h"
#include "detector/acf/pyramid.h"
#include "experiments/programs/acf_variants/coarse.h"
#include "experiments/programs/acf_variants/coarse_scan.h"
#include "experiments/programs/acf_variants/variants.h"

namespace facepipe::acf_variants {

class PyramidOnDevice {
 public:
  /// Throws what make_acf_tables() throws. Throws std::invalid_argument if no window fits in the
  /// picture, or if its scales have more cells than one batch.
  PyramidOnDevice(const detector::acf::Model& model, const StreamLayout& layout,
                  const detector::acf::SizeLimits& sizes);

  /// Computes the channels like our detector.
  void enqueue_channels(const FrameDescriptor* frame, cuda::StreamView stream) const;
  /// Computes the channels of all scales from those of the real scales.
  void enqueue_cells(cuda::StreamView stream) const;
  void enqueue_our_scan(cuda::StreamView stream) const;
  void enqueue_variant(Variant variant, int first_trees, cuda::StreamView stream) const {
    variants_.enqueue(variant, first_trees, memory_.buffers(), stream);
  }

  /// Searches with the coarse detector first. `coarse` must have been made for plan().
  void enqueue_coarse(const CoarseScan& coarse, cuda::StreamView stream) const {
    coarse.enqueue(memory_.buffers(), stream);
  }

  /// Waits for the stream. Returns the planes with the channels of all scales, for scale_cells().
  [[nodiscard]] std::vector<float> cells(cuda::StreamView stream) const;
  /// Returns the channels of a scale within `cells`.
  [[nodiscard]] ScaleCells scale_cells(const std::vector<float>& cells, std::size_t scale) const;

  /// Returns the windows of all scales in the order of found(), each with its number among all
  /// places. Leaves out windows that are completely in the padding.
  [[nodiscard]] std::vector<detector::acf::SummedPlace> in_picture(
      const std::vector<std::vector<PassedWindow>>& by_scale) const;

  /// Waits for the stream. Returns the windows that the last scan accepted, sorted by place. Throws
  /// std::runtime_error if there wasn't room for all windows.
  [[nodiscard]] std::vector<detector::acf::SummedPlace> found(cuda::StreamView stream) const;

  [[nodiscard]] const VariantScan& variants() const { return variants_; }
  [[nodiscard]] const detector::acf::PlanOnDevice& plan() const { return plan_; }
  [[nodiscard]] const detector::acf::AcfTables& tables() const { return plan_.tables(); }
  /// Returns the channels of the i-th real scale.
  [[nodiscard]] float* real_channels(std::size_t i) const {
    return memory_.buffers().real + tables().real[i].first;
  }

 private:
  detector::acf::PlanOnDevice plan_;  ///< plan for windows that are read from global memory
  detector::acf::PlanOnDevice ours_;  ///< plan for windows that are copied to shared memory
  int our_blocks_;
  detector::acf::FrameMemory memory_;
  VariantScan variants_;
};

}  // namespace facepipe::acf_variants
