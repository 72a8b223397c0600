// Looks once more at places where a detector has found something that may not be a face. Each place
// is shown to the detector alone, at the size at which the detector is surest.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "detector/cnn/cpu/crop_sheet.h"
#include "detector/detector.h"

namespace facepipe::detector {

/// Not thread-safe.
class SecondLook {
 public:
  /// Returns nullptr if second looks don't suit the model. We have measured them only for
  /// CenterFace, and only if it searches pictures in their own size.
  [[nodiscard]] static std::unique_ptr<SecondLook> make(DetectorFactory& detectors);

  explicit SecondLook(std::shared_ptr<Detector> detector);

  /// Returns for each box the highest score of the detections that fit it (fits_face()) in its crop
  /// (CropSheet); 0 if there are none. Scores are on the detector's own scale. Takes a
  /// run of the network on CropSheet::kSize for each CropSheet::kPlaces boxes. Errors:
  /// Error(device); throws Stopped.
  /// @param frame  in host memory
  /// @param faces  in pixels of the upright frame, not empty; they meet the picture
  [[nodiscard]] std::vector<float> scores_of(const Frame& frame, std::span<const Box> faces,
                                             const std::stop_token& stop);

 private:
  std::shared_ptr<Detector> detector_;
  CropSheet sheet_;
};

}  // namespace facepipe::detector
