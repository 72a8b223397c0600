// Holds the detectors with which verify searches pictures.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/options/options.h"
#include "core/geometry.h"
#include "core/score_scale.h"
#include "detector/detector.h"
#include "verify/looks.h"
#include "verify/turned.h"

namespace facepipe::app {

/// Owns the detectors of all detection passes. The passes run one after the other.
class VerifyDetectors {
 public:
  /// @param size  the size of the original's pictures
  /// Throws the errors of make_detector_factory(). Throws Error(usage) if the model is not a
  /// network.
  VerifyDetectors(const VerifyOptions& options, Size size);

  [[nodiscard]] verify::Looks looks() const { return verify::Looks(looks_); }
  [[nodiscard]] verify::TurnedSearch turned() const {
    return verify::TurnedSearch(*factories_.front());
  }
  /// Returns what the detectors' scores mean.
  [[nodiscard]] ScoreScales scales() const { return scales_of(model_info().classes()); }
  [[nodiscard]] const detector::ModelInfo& model_info() const { return *factories_.front(); }

 private:
  static void check(const detector::ModelInfo& model);
  void add(std::optional<Size> size);
  void add_mirrored();

  detector::DetectorOptions options_;
  std::vector<std::unique_ptr<detector::DetectorFactory>> factories_;
  std::vector<verify::Look> looks_;
};

}  // namespace facepipe::app
