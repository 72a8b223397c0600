// Rebuilds the methods by which Van Ranst et al. find windows on a GPU, with the channels of our
// detector. All methods except Exit::of_whole_groups find the same windows as our detector. As in
// the paper, a tree's nodes are evaluated one after the other, and trees and channels are in global
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
  window,              ///< each thread evaluates all trees for one window
  stage,               ///< each block has a window, and each thread a tree; Exit::as_one_by_one
  stage_whole_groups,  ///< like `stage`, but with Exit::of_whole_groups
  // The following variants evaluate the first trees like `window`, and the other trees like
  // `stage`. They differ in what happens to the windows that the first trees leave.
  hybrid_compaction,   ///< a list of these windows, which the blocks of a second kernel share
  hybrid_tail_launch,  ///< a list; the first kernel launches one kernel with a block for each
                       ///< window
  hybrid_launches      ///< a launch of one block for each window, as published ("dynamic
                       ///< parallelism")
};

/// The windows that the first trees leave.
struct AliveWindows {
  detector::acf::SummedPlace* windows = nullptr;  ///< array with room for all windows
  std::uint32_t* count = nullptr;
  /// For hybrid_tail_launch: the number of blocks of the first kernel that have ended. For
  /// hybrid_launches: the number of launched blocks that have begun.
  std::uint32_t* blocks = nullptr;
};

/// The arguments of all kernels.
struct VariantArguments {
  detector::acf::AcfPlan plan;
  detector::acf::AcfBuffers buffers;
  AliveWindows alive;
  std::uint32_t windows = 0;     ///< number of windows of all scales
  std::int32_t first_trees = 0;  ///< for the hybrids: 1..tree_count
};

/// The number of threads in a block that has one window.
inline constexpr int kStageThreads = 128;
/// The number of launches for which the device has room in Variant::hybrid_launches.
inline constexpr std::size_t kMostLaunches = 65536;

void launch_windows(const VariantArguments& arguments, cuda::StreamView stream);
void launch_stages(const VariantArguments& arguments, Exit exit, cuda::StreamView stream);
/// Lists the windows that the first trees leave.
void launch_first(const VariantArguments& arguments, cuda::StreamView stream);
/// Evaluates the remaining trees for the listed windows, with as many blocks as the device can run
/// at the same time.
void launch_rest(const VariantArguments& arguments, cuda::StreamView stream);
/// Does what launch_first() and launch_rest() do, but the first kernel launches the second one on
/// the device.
void launch_with_tail(const VariantArguments& arguments, cuda::StreamView stream);
void launch_launches(const VariantArguments& arguments, cuda::StreamView stream);
/// Reserves memory for kMostLaunches launches on the current device. Throws Error(device).
void prepare_launches();

/// Returns the number of windows of all scales. Throws std::invalid_argument if the scales aren't
/// all in one batch, or if the plan copies windows to shared memory.
[[nodiscard]] std::uint32_t windows_of(const detector::acf::AcfTables& tables);

/// Scans all windows of a plan with one variant.
class VariantScan {
 public:
  /// `plan` must outlive this object. Throws what windows_of() throws.
  explicit VariantScan(const detector::acf::PlanOnDevice& plan);

  [[nodiscard]] std::uint32_t windows() const { return windows_; }

  /// Scans buffers.cells. Clears the counts of buffers.found first, and adds the accepted windows.
  /// `first_trees` is for the hybrids. Don't capture variants whose kernels launch kernels, because
  /// a graph ends without waiting for the launched kernels. Throws std::invalid_argument if
  /// `first_trees` is 0 or exceeds the number of trees.
  void enqueue(Variant variant, int first_trees, const detector::acf::AcfBuffers& buffers,
               cuda::StreamView stream) const;

  /// Waits for the stream. Returns how many windows the first trees of the last hybrid left.
  [[nodiscard]] std::uint32_t alive(cuda::StreamView stream) const;
  /// Waits for the stream. Returns whether the device had room for all launches of the last
  /// hybrid_launches.
  [[nodiscard]] bool launched_all(cuda::StreamView stream) const;

 private:
  [[nodiscard]] std::uint32_t word(std::size_t index, cuda::StreamView stream) const;

  const detector::acf::PlanOnDevice& plan_;
  std::uint32_t windows_;
  cuda::DeviceBuffer<detector::acf::SummedPlace> alive_;
  cuda::DeviceBuffer<std::uint32_t> counts_;
};

}  // namespace facepipe::acf_variants
