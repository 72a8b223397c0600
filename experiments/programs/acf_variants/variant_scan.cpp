#include <stdexcept>

#include "experiments/programs/acf_variants/variants.h"

namespace facepipe::acf_variants {
namespace {

constexpr std::size_t kCount = 0;
constexpr std::size_t kBlocks = 1;
constexpr std::size_t kWords = 2;

bool is_hybrid(Variant variant) {
  return variant == Variant::hybrid_compaction || variant == Variant::hybrid_tail_launch ||
         variant == Variant::hybrid_launches;
}

}  // namespace

std::uint32_t windows_of(const detector::acf::AcfTables& tables) {
  if (tables.batches.size() != 1 || tables.plan.classifier.scan.in_shared != 0)
    throw std::invalid_argument(
        "variants: the plan is none of one batch and of windows where they are");
  const detector::acf::DeviceScale& last = tables.scales.back();
  return last.first_place + static_cast<std::uint32_t>(last.scale.places.width) *
                                static_cast<std::uint32_t>(last.scale.places.height);
}

VariantScan::VariantScan(const detector::acf::PlanOnDevice& plan)
    : plan_(plan), windows_(windows_of(plan.tables())), alive_(windows_), counts_(kWords) {
  prepare_launches();
}

void VariantScan::enqueue(Variant variant, int first_trees,
                          const detector::acf::AcfBuffers& buffers, cuda::StreamView stream) const {
  if (is_hybrid(variant) && (first_trees < 1 || first_trees > plan_.plan().classifier.tree_count))
    throw std::invalid_argument("variants: first trees are none, or more than there are");
  const VariantArguments arguments{
      plan_.plan(),
      buffers,
      {alive_.data(), counts_.data() + kCount, counts_.data() + kBlocks},
      windows_,
      first_trees};
  cuda::fill(cuda::DeviceSpan<std::uint32_t>{buffers.found_count, buffers.counts}, 0, stream);
  if (is_hybrid(variant)) cuda::fill(counts_.span(), 0, stream);
  switch (variant) {
    case Variant::window:
      return launch_windows(arguments, stream);
    case Variant::stage:
      return launch_stages(arguments, Exit::as_one_by_one, stream);
    case Variant::stage_whole_groups:
      return launch_stages(arguments, Exit::of_whole_groups, stream);
    case Variant::hybrid_compaction:
      launch_first(arguments, stream);
      return launch_rest(arguments, stream);
    case Variant::hybrid_tail_launch:
      return launch_with_tail(arguments, stream);
    case Variant::hybrid_launches:
      return launch_launches(arguments, stream);
  }
}

std::uint32_t VariantScan::word(std::size_t index, cuda::StreamView stream) const {
  std::uint32_t value = 0;
  cuda::copy(std::span<std::uint32_t>(&value, 1),
             cuda::DeviceSpan<const std::uint32_t>{counts_.data() + index, 1}, stream);
  stream.synchronize();
  return value;
}

std::uint32_t VariantScan::alive(cuda::StreamView stream) const { return word(kCount, stream); }

bool VariantScan::launched_all(cuda::StreamView stream) const {
  return word(kBlocks, stream) == word(kCount, stream);
}

}  // namespace facepipe::acf_variants
