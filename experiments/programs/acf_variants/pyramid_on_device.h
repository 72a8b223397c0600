// Makes one frame's channels on the device with our detector, and finds windows in them with our
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
  /// Throws what make_acf_tables() throws, and std::invalid_argument for a picture in which no
  /// window fits or whose scales have more cells than one batch.
  PyramidOnDevice(const detector::acf::Model& model, const StreamLayout& layout,
                  const detector::acf::SizeLimits& sizes);

  /// Makes the channels like our detector.
  void enqueue_channels(const FrameDescriptor* frame, cuda::StreamView stream) const;
  /// Makes the channels of all scales from those of the real scales.
  void enqueue_cells(cuda::StreamView stream) const;
  void enqueue_our_scan(cuda::StreamView stream) const;
  void enqueue_variant(Variant variant, int first_trees, cuda::StreamView stream) const {
    variants_.enqueue(variant, first_trees, memory_.buffers(), stream);
  }

  /// Searches with a coarse detector first. `coarse` must have been made for plan().
  void enqueue_coarse(const CoarseScan& coarse, cuda::StreamView stream) const {
    coarse.enqueue(memory_.buffers(), stream);
  }

  /// Waits. Returns the planes with the channels of all scales, for scale_cells().
  [[nodiscard]] std::vector<float> cells(cuda::StreamView stream) const;
  /// Returns where the channels of a scale lie in `cells`.
  [[nodiscard]] ScaleCells scale_cells(const std::vector<float>& cells, std::size_t scale) const;

  /// Returns the windows of all scales, each with its number among all places, without those that
  /// lie wholly in the padding. found() has the same order.
  [[nodiscard]] std::vector<detector::acf::SummedPlace> in_picture(
      const std::vector<std::vector<PassedWindow>>& by_scale) const;

  /// Waits. Returns what the last scan accepted, sorted by place. Throws std::runtime_error if
  /// there was no room for all.
  [[nodiscard]] std::vector<detector::acf::SummedPlace> found(cuda::StreamView stream) const;

  [[nodiscard]] const VariantScan& variants() const { return variants_; }
  [[nodiscard]] const detector::acf::PlanOnDevice& plan() const { return plan_; }
  [[nodiscard]] const detector::acf::AcfTables& tables() const { return plan_.tables(); }
  /// Returns the channels of the i-th real scale.
  [[nodiscard]] float* real_channels(std::size_t i) const {
    return memory_.buffers().real + tables().real[i].first;
  }

 private:
  detector::acf::PlanOnDevice plan_;  ///< windows are read in place
  detector::acf::PlanOnDevice ours_;  ///< windows are copied to shared memory
  int our_blocks_;
  detector::acf::FrameMemory memory_;
  VariantScan variants_;
};

}  // namespace facepipe::acf_variants
