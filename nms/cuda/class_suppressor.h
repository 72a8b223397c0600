// Suppresses candidates of several classes on a CUDA device, so that no class suppresses another
// one. The host isn't involved. Results are equal to those of nms/cpu/class_suppressor.h, bit for
// bit.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "nms/cuda/classes.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Suppresses the candidates of each class as if there were no other class. The result has the kept
/// candidates of all classes, in one ranking. If there is one class, it does exactly what
/// CudaSuppressor does. Owns scratch memory for one suppression at a time, and belongs to the
/// device that was current at construction.
///
/// The classes are suppressed one after the other, by the same suppressors and in the same memory.
/// So any rule works, each class can have its own threshold, and memory doesn't depend on the
/// number of classes.
class CudaClassSuppressor {
 public:
  /// Throws the errors of CudaSuppressor.
  /// @param each        the most candidates of each class that are looked at
  /// @param thresholds  NmsOptions::threshold of each class; empty: there is one class, and the
  ///                    threshold of `options` applies
  /// @param candidates  the capacity of the candidates' arrays; at least `each` if there is one
  ///                    class
  CudaClassSuppressor(const NmsOptions& options, std::uint32_t each, std::vector<float> thresholds,
                      std::uint32_t candidates,
                      std::uint32_t multiprocessors = kAllMultiprocessors);

  /// Enqueues the suppression and returns. It neither allocates nor waits, so it can be captured in
  /// a graph and replayed with another count. Each array of `kept` has kept_capacity() elements.
  /// Throws the errors of CudaSuppressor::enqueue().
  /// @param classes  the class of each candidate, below the number of thresholds; null if there is
  ///                 one class. Candidates of other classes are dropped.
  void enqueue(const DeviceCandidates& candidates, const std::uint16_t* classes,
               const DeviceKept& kept, cuda::StreamView stream);

  /// Returns the largest number of candidates that can be kept.
  [[nodiscard]] std::uint32_t kept_capacity() const { return has_classes() ? candidates_ : each_; }
  /// Returns the largest number of candidates of each class that are looked at.
  [[nodiscard]] std::uint32_t capacity() const { return each_; }

 private:
  [[nodiscard]] bool has_classes() const { return thresholds_.size() > 1; }
  [[nodiscard]] float threshold_of(std::size_t its_class) const;
  [[nodiscard]] ClassWork work_of(const DeviceCandidates& candidates, const std::uint16_t* classes,
                                  const DeviceKept& kept) const;

  /// Memory for the candidates of one class, and for what is kept of them.
  struct OfOneClass {
    OfOneClass(const NmsOptions& options, std::uint32_t capacity);

    cuda::DeviceBuffer<Box> boxes;
    cuda::DeviceBuffer<float> scores;
    cuda::DeviceBuffer<std::uint32_t>
        places;  ///< index of each among the candidates of all classes
    cuda::DeviceBuffer<std::uint32_t> kept;
    cuda::DeviceBuffer<std::uint32_t> counts;  ///< candidates, kept ones, those beyond the capacity
    cuda::DeviceBuffer<Box> kept_boxes;        ///< empty unless moves_boxes()
    cuda::DeviceBuffer<float> kept_scores;     ///< empty unless changes_scores()
  };

  /// Memory with an element for each candidate of all classes.
  struct OfAllClasses {
    OfAllClasses(const NmsOptions& options, std::uint32_t capacity);

    cuda::DeviceBuffer<std::uint8_t> chosen;  ///< not 0 for kept candidates
    cuda::DeviceBuffer<Box> boxes;            ///< after suppression; empty unless moves_boxes()
    cuda::DeviceBuffer<float> scores;         ///< after suppression; empty unless changes_scores()
  };

  NmsOptions options_;
  std::uint32_t each_;
  std::vector<float> thresholds_;
  std::uint32_t candidates_;
  std::map<float, CudaSuppressor> suppressors_;  ///< by threshold
  OfOneClass one_;                               ///< empty if there is one class
  OfAllClasses all_;                             ///< empty if there is one class
};

}  // namespace facepipe::nms
