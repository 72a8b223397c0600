#include "nms/cuda/suppressor.h"

#include <vector_types.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "nms/cuda/rule.h"

namespace facepipe {
namespace {

std::unique_ptr<nms::CudaRule> make_rule(const NmsOptions& options, std::uint32_t capacity) {
  check_nms_options(options, capacity);
  switch (options.rule) {
    case NmsRule::greedy:
    case NmsRule::fast:
      return nms::make_greedy_rule(options, capacity);
    case NmsRule::matrix:
    case NmsRule::soft:
      break;
  }
  throw std::logic_error("a rule without a kernel");
}

struct Argument {
  const void* pointer;
  bool needed;
  const char* name;
};

void check_arguments(const NmsOptions& options, const DeviceCandidates& candidates,
                     const DeviceKept& kept) {
  const Argument arguments[] = {
      {candidates.boxes, true, "candidates.boxes"},
      {candidates.scores, true, "candidates.scores"},
      {candidates.count, true, "candidates.count"},
      {kept.indices, true, "kept.indices"},
      {kept.count, true, "kept.count"},
      {kept.beyond_capacity, true, "kept.beyond_capacity"},
      {kept.boxes, options.voting, "kept.boxes"},
      {kept.scores, options.rule == NmsRule::soft, "kept.scores"},
  };
  for (const Argument& argument : arguments)
    if (argument.needed && argument.pointer == nullptr)
      throw std::invalid_argument(std::string(argument.name) + " is null");
  const auto aligned = [](const Box* boxes) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    return reinterpret_cast<std::uintptr_t>(boxes) % alignof(float4) == 0;
  };
  if (!aligned(candidates.boxes) || !aligned(kept.boxes))
    throw std::invalid_argument("boxes must be aligned to 16 bytes");
}

}  // namespace

CudaSuppressor::CudaSuppressor(const NmsOptions& options, std::uint32_t capacity)
    : options_(options), capacity_(capacity), rule_(make_rule(options, capacity)) {}

CudaSuppressor::~CudaSuppressor() = default;
CudaSuppressor::CudaSuppressor(CudaSuppressor&&) noexcept = default;
CudaSuppressor& CudaSuppressor::operator=(CudaSuppressor&&) noexcept = default;

void CudaSuppressor::enqueue(const DeviceCandidates& candidates, const DeviceKept& kept,
                             cuda::StreamView stream) {
  check_arguments(options_, candidates, kept);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): four floats either way
  const auto* const boxes = reinterpret_cast<const float4*>(candidates.boxes);
  rule_->enqueue({boxes, candidates.scores, candidates.groups, candidates.count, capacity_}, kept,
                 stream.get());
}

std::size_t CudaSuppressor::scratch_bytes(const NmsOptions& options, std::uint32_t capacity) {
  check_nms_options(options, capacity);
  return nms::greedy_scratch_bytes(capacity);
}

}  // namespace facepipe
