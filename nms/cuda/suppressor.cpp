#include "nms/cuda/suppressor.h"

#include <vector_types.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/error.h"
#include "nms/cuda/cooperative.h"
#include "nms/cuda/rule.h"

namespace facepipe::nms {
namespace {

std::uint32_t all_multiprocessors() {
  return static_cast<std::uint32_t>(device_attribute(cudaDevAttrMultiProcessorCount));
}

std::uint32_t checked_multiprocessors(std::uint32_t asked) {
  const std::uint32_t all = all_multiprocessors();
  if (asked > all)
    throw Error(ErrorKind::internal, "multiprocessors: the device has only " + std::to_string(all));
  return asked == kAllMultiprocessors ? all : asked;
}

std::unique_ptr<CudaRule> checked_rule(const NmsOptions& options, std::uint32_t capacity,
                                       std::uint32_t multiprocessors) {
  check_nms_options(options, capacity);
  return make_rule(options, capacity, checked_multiprocessors(multiprocessors));
}

struct Argument {
  const void* pointer;
  bool needed;
  const char* name;
};

void require(std::initializer_list<Argument> arguments) {
  for (const Argument& argument : arguments)
    if (argument.needed && argument.pointer == nullptr)
      throw Error(ErrorKind::internal, std::string(argument.name) + " is null");
}

void require_aligned(const Box* boxes, const char* name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  if (reinterpret_cast<std::uintptr_t>(boxes) % alignof(float4) != 0)
    throw Error(ErrorKind::internal, std::string(name) + " is not aligned to 16 bytes");
}

void check_candidates(const DeviceCandidates& candidates) {
  require({{candidates.boxes, true, "candidates.boxes"},
           {candidates.scores, true, "candidates.scores"},
           {candidates.count, true, "candidates.count"}});
  require_aligned(candidates.boxes, "candidates.boxes");
}

void check_kept(const NmsOptions& options, const DeviceKept& kept) {
  require({{kept.indices, true, "kept.indices"},
           {kept.count, true, "kept.count"},
           {kept.beyond_capacity, true, "kept.beyond_capacity"},
           {kept.boxes, moves_boxes(options), "kept.boxes"},
           {kept.scores, changes_scores(options), "kept.scores"}});
  require_aligned(kept.boxes, "kept.boxes");
}

}  // namespace

void check_arrays(const NmsOptions& options, const DeviceCandidates& candidates,
                  const DeviceKept& kept) {
  check_candidates(candidates);
  check_kept(options, kept);
}

std::uint32_t multiprocessors_beside_others(const NmsOptions& options) {
  const bool half_is_enough = options.rule == NmsRule::greedy || options.rule == NmsRule::fast;
  return half_is_enough ? std::max(1U, all_multiprocessors() / 2) : kAllMultiprocessors;
}

CudaSuppressor::CudaSuppressor(const NmsOptions& options, std::uint32_t capacity,
                               std::uint32_t multiprocessors)
    : options_(options),
      capacity_(capacity),
      rule_(checked_rule(options, capacity, multiprocessors)) {}

CudaSuppressor::~CudaSuppressor() = default;
CudaSuppressor::CudaSuppressor(CudaSuppressor&&) noexcept = default;
CudaSuppressor& CudaSuppressor::operator=(CudaSuppressor&&) noexcept = default;

CandidateView CudaSuppressor::view_of(const DeviceCandidates& candidates) const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): both are four floats
  const auto* const boxes = reinterpret_cast<const float4*>(candidates.boxes);
  return {boxes, candidates.scores, candidates.count, capacity_};
}

void CudaSuppressor::enqueue(const DeviceCandidates& candidates, const DeviceKept& kept,
                             cuda::StreamView stream) {
  check_arrays(options_, candidates, kept);
  rule_->enqueue(view_of(candidates), kept, stream.get());
}

void CudaSuppressor::enqueue_map(const DeviceCandidates& candidates, cuda::StreamView stream) {
  check_candidates(candidates);
  rule_->enqueue_map(view_of(candidates), stream.get());
}

void CudaSuppressor::enqueue_reduce(const DeviceCandidates& candidates, cuda::StreamView stream) {
  check_candidates(candidates);
  rule_->enqueue_reduce(view_of(candidates), stream.get());
}

std::size_t CudaSuppressor::scratch_bytes(const NmsOptions& options, std::uint32_t capacity) {
  check_nms_options(options, capacity);
  return rule_scratch_bytes(options, capacity);
}

}  // namespace facepipe::nms
