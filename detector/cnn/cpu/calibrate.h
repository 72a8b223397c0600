// Measures the ranges that int8 needs (detector/cnn/model/i8_ranges.h) on pictures.
//
// The network runs on each picture in several sizes, so that faces are small and large. The light
// in the pictures, and the distance of the faces from the camera, must be those of later videos.
// One picture with many faces is enough.
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
  /// `threads` is 0 for one thread on each core that the process may use. Throws Error(device),
  /// also if this build has no engine that computes in int8.
  Calibration(const Model& model, int threads);

  /// Measures one more picture. Throws Stopped if `stop` is requested. Throws Error(device) if the
  /// engine fails.
  void measure(const RgbaImage& picture, const std::stop_token& stop);

  /// Returns the ranges of all pictures so far, without the pictures' hashes.
  [[nodiscard]] I8Ranges ranges() const { return observer_->ranges(); }

 private:
  ChannelOrder order_;
  Size tile_;  ///< size of the network's input
  std::unique_ptr<NetworkObserver> observer_;
};

}  // namespace facepipe::detector
