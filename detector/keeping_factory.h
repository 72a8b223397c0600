// Makes detectors, and keeps them for later frames of the same size.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "core/recently_used.h"
#include "detector/detector.h"
#include "detector/options.h"

namespace facepipe::detector {

/// The base of the factories of all families. It keeps the detectors for the last few sizes of
/// frames, and makes one detector of all looks at a frame (DetectorOptions::looks). Thread-safe.
class KeepingFactory : public DetectorFactory {
 public:
  /// Throws Error(usage) if options are out of range. See ModelInfo for the other arguments.
  KeepingFactory(EngineChoice choice, std::string kind, std::string sha256, bool finds_landmarks,
                 DetectorOptions options, std::vector<FoundClass> classes = {FoundClass{}},
                 ModelAbout about = {});

  std::shared_ptr<Detector> detector(Size frame) override;

 protected:
  /// Returns the options after with_defaults(). DetectorOptions::threads is never 0.
  [[nodiscard]] const DetectorOptions& options() const { return options_; }

  /// Returns the number of pixels of all inputs of a detector. The memory of the detector grows
  /// with this number. The detector is for frames of this size, and looks at the frames at `scale`
  /// times the usual size (Looks::scales). For families that refuse other looks, `scale` is always
  /// 1.
  [[nodiscard]] virtual std::int64_t pixels_for(Size frame, float scale) const = 0;
  /// Makes a detector for frames of this size. The detector looks at the frames at `scale` times
  /// the usual size, and can hold `requests` frames.
  [[nodiscard]] virtual std::shared_ptr<Detector> make(Size frame, float scale, int requests) = 0;

 private:
  DetectorOptions options_;
  std::mutex mutex_;                                    // guards kept_
  RecentlyUsed<Size, std::shared_ptr<Detector>> kept_;  // by the size of the frames
};

}  // namespace facepipe::detector
