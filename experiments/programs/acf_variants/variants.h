// The ways in which Van Ranst et al. look for windows on a GPU, built anew over the channels that
// our detector makes; and with all of them, but for Exit::of_whole_groups, its windows. What the
// paper has of its own stays: a tree's nodes one after the other, trees and channels in global
// memory.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "detector/acf/cuda/device_memory.h"
#include "detector/acf/cuda/kernels.h"
#include "experiments/programs/acf_variants/trees.h"

namespace facepipe::acf_variants {

enum class Variant {
  window,              ///< a thread a window, through all trees
  stage,               ///< a block a window, a thread a tree; Exit::as_one_by_one
  stage_whole_groups,  ///< the same with Exit::of_whole_groups
  // The first trees as `window`, the others as `stage`. Windows that are left after the first ones:
  hybrid_compaction,   ///< are listed; a second kernel's blocks share the list
  hybrid_tail_launch,  ///< are listed; the first kernel launches a block for each, in one launch
  hybrid_launches      ///< launch a block each, as published ("dynamic parallelism")
};

/// Windows that the first trees leave.
struct AliveWindows {
  detector::acf::SummedPlace* windows = nullptr;  ///< room for all
  std::uint32_t* count = nullptr;
  /// Of hybrid_tail_launch: of the first kernel that have ended. Of hybrid_launches: that were
  /// launched and have begun.
  std::uint32_t* blocks = nullptr;
};

/// What all kernels get.
struct VariantArguments {
  detector::acf::AcfPlan plan;
  detector::acf::AcfBuffers buffers;
  AliveWindows alive;
  std::uint32_t windows = 0;     ///< of all scales
  std::int32_t first_trees = 0;  ///< of the hybrids: 1..tree_count
};

/// Threads of a block that has one window.
inline constexpr int kStageThreads = 128;
/// Launches that the device has room for, of Variant::hybrid_launches.
inline constexpr std::size_t kMostLaunches = 65536;

void launch_windows(const VariantArguments& arguments, cuda::StreamView stream);
void launch_stages(const VariantArguments& arguments, Exit exit, cuda::StreamView stream);
/// Lists what the first trees leave.
void launch_first(const VariantArguments& arguments, cuda::StreamView stream);
/// The trees that follow, of what is listed; as many blocks as the device runs at once.
void launch_rest(const VariantArguments& arguments, cuda::StreamView stream);
/// Both, the second launched by the first on the device.
void launch_with_tail(const VariantArguments& arguments, cuda::StreamView stream);
void launch_launches(const VariantArguments& arguments, cuda::StreamView stream);
/// Room for kMostLaunches on the current device. Errors: device.
void prepare_launches();

/// All windows of a plan by one variant.
class VariantScan {
 public:
  /// `plan` has all scales in one batch, windows that are read where they are, and outlives this.
  /// Throws std::invalid_argument for others.
  explicit VariantScan(const detector::acf::PlanOnDevice& plan);

  [[nodiscard]] std::uint32_t windows() const { return windows_; }

  /// What passes of buffers.cells to buffers.found, whose counts are cleared. `first_trees`: of the
  /// hybrids. Not to be captured where kernels launch others: a graph ends without waiting for
  /// these. Throws std::invalid_argument where first trees are none or more than there are.
  void enqueue(Variant variant, int first_trees, const detector::acf::AcfBuffers& buffers,
               cuda::StreamView stream) const;

  /// Of the last one, of a hybrid: windows that the first trees left. Waits.
  [[nodiscard]] std::uint32_t alive(cuda::StreamView stream) const;
  /// Whether the last one, of hybrid_launches, had room for all launches. Waits.
  [[nodiscard]] bool launched_all(cuda::StreamView stream) const;

 private:
  [[nodiscard]] std::uint32_t word(std::size_t index, cuda::StreamView stream) const;

  const detector::acf::PlanOnDevice& plan_;
  std::uint32_t windows_;
  cuda::DeviceBuffer<detector::acf::SummedPlace> alive_;
  cuda::DeviceBuffer<std::uint32_t> counts_;
};

}  // namespace facepipe::acf_variants
