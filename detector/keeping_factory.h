// Makes detectors and keeps them, by the size of the frames that they are for.
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

/// The factories of all families keep their detectors in this way, and make all looks at a frame
/// (DetectorOptions::looks). Thread-safe.
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

  /// Returns for how many pixels of pictures a detector needs memory that looks at frames of this
  /// size, at `scale` times the usual size (Looks::scales). `scale` is 1 for families that refuse
  /// other sizes.
  [[nodiscard]] virtual std::int64_t pixels_for(Size frame, float scale) const = 0;
  /// Makes that detector, with places for `requests` frames.
  [[nodiscard]] virtual std::shared_ptr<Detector> make(Size frame, float scale, int requests) = 0;

 private:
  DetectorOptions options_;
  std::mutex mutex_;                                    // guards kept_
  RecentlyUsed<Size, std::shared_ptr<Detector>> kept_;  // by the size of the frames
};

}  // namespace facepipe::detector
