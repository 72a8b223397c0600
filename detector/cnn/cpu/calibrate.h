// Ranges for int8 (detector/cnn/model/i8_ranges.h), measured on pictures.
//
// Each picture is looked at in several sizes, so that its faces are small ones and large ones. The
// pictures must show faces, in the light and at the distances that matter; one with many is enough.
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
  /// @param threads  0: as many as the machine has
  /// Errors: device, also where this build has no engine that computes in int8.
  Calibration(const Model& model, int threads);

  /// Throws Stopped once `stop` is requested. Errors: device.
  void look_at(const RgbaImage& picture, const std::stop_token& stop);

  /// Of all pictures so far; without their hashes.
  [[nodiscard]] I8Ranges ranges() const { return observer_->ranges(); }

 private:
  ChannelOrder order_;
  std::unique_ptr<NetworkObserver> observer_;
};

}  // namespace facepipe::detector
