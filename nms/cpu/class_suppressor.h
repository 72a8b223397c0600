// Suppresses candidates of several classes on the CPU, so that no class suppresses another one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/detections.h"
#include "nms/cpu/suppressor.h"
#include "nms/nms.h"

namespace facepipe::nms {

/// Suppresses the candidates of each class as if there were no other class. The result has the kept
/// candidates of all classes, in one ranking. If all candidates are of one class, the result is
/// exactly the result of CpuSuppressor. Not thread-safe.
class ClassSuppressor {
 public:
  /// Throws the errors of CpuSuppressor.
  /// @param capacity    the most candidates of each class
  /// @param thresholds  NmsOptions::threshold of each class; empty: the threshold of `options`
  ///                    applies to all classes
  ClassSuppressor(const NmsOptions& options, std::uint32_t capacity,
                  std::vector<float> thresholds = {});

  /// The spans in the result are valid until the next call.
  [[nodiscard]] NmsKept run(const Detections& candidates);

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }

 private:
  [[nodiscard]] CpuSuppressor& suppressor_of(std::uint16_t its_class);
  [[nodiscard]] std::uint32_t add_class(const Detections& candidates,
                                        const std::vector<std::uint32_t>& of_class);
  [[nodiscard]] NmsKept ranked(std::uint32_t beyond_capacity);

  /// A kept candidate, with its box and its score after suppression.
  struct Kept {
    std::uint32_t index = 0;
    Box box;
    float score = 0;
  };

  NmsOptions options_;
  std::uint32_t capacity_;
  std::vector<float> thresholds_;
  std::map<float, CpuSuppressor> suppressors_;  // by threshold
  std::vector<Kept> kept_;                      // of all classes
  // The result refers to these.
  std::vector<std::uint32_t> indices_;
  std::vector<Box> boxes_;
  std::vector<float> scores_;
};

}  // namespace facepipe::nms
