// The head of YuNet (Wu et al., 2023): anchor-free cells at strides 8, 16 and 32.
#pragma once

#include "detector/cnn/model/head.h"

namespace facepipe {

/// Score: sqrt(cls * obj), each clamped to 0..1. Box of a cell (row, column): centre
/// ((column + b0) * stride, (row + b1) * stride), size exp(b2) * stride by exp(b3) * stride.
/// Landmarks: ((column + k0) * stride, (row + k1) * stride), and so on. As OpenCV's FaceDetectorYN.
class YunetHead final : public Head {
 public:
  [[nodiscard]] Detections decode(const NetworkOutputs& outputs, const NetworkFit& fit,
                                  float score_threshold) const override;
};

}  // namespace facepipe
