// A calibration measures ranges for int8 (detector/cnn/model/i8_ranges.h) on pictures.
//
// It looks at each picture in several sizes, so that faces are small and large. The pictures must
// show faces in the light and at the distances that matter. One picture with many faces is enough.
#pragma once

#include <memory>
#include <stop_token>

#include "core/rgba_image.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/i8_ranges.h"
#include "detector/cnn/model/model.h"

namespace facepipe::detector {

class Calibration {
 public:
  /// `threads` is 0 for one thread on each core that the process may use. Errors: device, also if
  /// this build has no engine that computes in int8.
  Calibration(const Model& model, int threads);

  /// Throws Stopped once `stop` is requested. Errors: device.
  void look_at(const RgbaImage& picture, const std::stop_token& stop);

  /// Returns the ranges of all pictures so far, without the pictures' hashes.
  [[nodiscard]] I8Ranges ranges() const { return observer_->ranges(); }

 private:
  ChannelOrder order_;
  std::unique_ptr<NetworkObserver> observer_;
};

}  // namespace facepipe::detector
