#include "nms/cuda/class_suppressor.h"

#include <cstddef>
#include <utility>

#include "core/error.h"
#include "nms/cuda/rank.h"

namespace facepipe::nms {
namespace {

// Boxes are four floats for the host, and a float4 for kernels.
float4* as_float4(Box* boxes) {
  return reinterpret_cast<float4*>(boxes);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
}
const float4* as_float4(const Box* boxes) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return reinterpret_cast<const float4*>(boxes);
}

}  // namespace

CudaClassSuppressor::OfOneClass::OfOneClass(const NmsOptions& options, std::uint32_t capacity)
    : boxes(capacity),
      scores(capacity),
      places(capacity),
      kept(capacity),
      counts(3),
      kept_boxes(moves_boxes(options) ? capacity : 0),
      kept_scores(changes_scores(options) ? capacity : 0) {}

CudaClassSuppressor::OfAllClasses::OfAllClasses(const NmsOptions& options, std::uint32_t capacity)
    : chosen(capacity),
      boxes(moves_boxes(options) ? capacity : 0),
      scores(changes_scores(options) ? capacity : 0) {}

CudaClassSuppressor::CudaClassSuppressor(const NmsOptions& options, std::uint32_t each,
                                         std::vector<float> thresholds, std::uint32_t candidates,
                                         std::uint32_t multiprocessors)
    : options_(options),
      each_(each),
      thresholds_(std::move(thresholds)),
      candidates_(candidates),
      one_(options, has_classes() ? each : 0),
      all_(options, has_classes() ? candidates : 0) {
  for (std::size_t i = 0; i == 0 || i < thresholds_.size(); ++i) {
    NmsOptions of_class = options;
    of_class.threshold = threshold_of(i);
    if (!suppressors_.contains(of_class.threshold))
      suppressors_.try_emplace(of_class.threshold, of_class, each, multiprocessors);
  }
}

float CudaClassSuppressor::threshold_of(std::size_t its_class) const {
  return its_class < thresholds_.size() ? thresholds_[its_class] : options_.threshold;
}

ClassWork CudaClassSuppressor::work_of(const DeviceCandidates& candidates,
                                       const std::uint16_t* classes, const DeviceKept& kept) const {
  ClassWork work{};
  work.all = {as_float4(candidates.boxes), candidates.scores, candidates.count, candidates_};
  work.classes = classes;
  work.each = each_;
  work.boxes = as_float4(one_.boxes.data());
  work.scores = one_.scores.data();
  work.places = one_.places.data();
  work.count = one_.counts.data();
  work.kept = one_.kept.data();
  work.kept_count = one_.counts.data() + 1;
  work.beyond_capacity = one_.counts.data() + 2;
  work.kept_boxes = as_float4(one_.kept_boxes.data());
  work.kept_scores = one_.kept_scores.data();
  work.chosen = all_.chosen.data();
  work.moved_boxes = as_float4(all_.boxes.data());
  work.new_scores = all_.scores.data();
  work.ranked = kept.indices;
  work.ranked_count = kept.count;
  work.ranked_boxes = moves_boxes(options_) ? as_float4(kept.boxes) : nullptr;
  work.ranked_scores = changes_scores(options_) ? kept.scores : nullptr;
  work.all_beyond_capacity = kept.beyond_capacity;
  return work;
}

void CudaClassSuppressor::enqueue(const DeviceCandidates& candidates, const std::uint16_t* classes,
                                  const DeviceKept& kept, cuda::StreamView stream) {
  if (!has_classes()) {
    suppressors_.at(threshold_of(0)).enqueue(candidates, kept, stream);
    return;
  }
  check_arrays(options_, candidates, kept);
  if (classes == nullptr) throw Error(ErrorKind::internal, "classes is null");
  const ClassWork work = work_of(candidates, classes, kept);
  launch_forget_kept(work, stream.get());
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    launch_part(work, static_cast<std::uint16_t>(i), stream.get());
    const DeviceCandidates of_class{one_.boxes.data(), one_.scores.data(), work.count};
    const DeviceKept kept_of_class{one_.kept.data(), one_.counts.data() + 1, one_.counts.data() + 2,
                                   one_.kept_boxes.data(), one_.kept_scores.data()};
    suppressors_.at(thresholds_[i]).enqueue(of_class, kept_of_class, stream);
    launch_unite(work, stream.get());
  }
  // Among equal scores, the index among the candidates of all classes decides.
  const CandidateView ranked{work.all.boxes,
                             work.new_scores != nullptr ? work.new_scores : work.all.scores,
                             work.all.count, candidates_};
  launch_rank(ranked, work.chosen, {kept.indices, nullptr, kept.count, nullptr}, stream.get());
  launch_rank_values(work, stream.get());
}

}  // namespace facepipe::nms
