// Looks at a few pictures of an input before it is worked on: are its faces turned in the pixels?
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/geometry.h"
#include "detector/detector.h"
#include "detector/options.h"
#include "detector/turned_faces.h"
#include "pipeline/job_options.h"

namespace facepipe::app {

/// Keeps its detectors from one input of a run to the next. Thread-safe.
class TurnedInputs {
 public:
  /// Counts the faces in pictures spread over the chosen range of an input, in each of the four
  /// turns. It looks on the CPU at 6 pictures at most, and at only two if these show far more
  /// upright faces. It reduces them to 640 pixels a side, and decodes at most 32 frames for each.
  /// Returns nullopt if it can't know: the input is no regular file and can be read only once, the
  /// model is no network, or something fails, which the job itself will report.
  /// @param detector  has the same model in all calls; what it says about a CUDA device's engine
  ///                  is ignored
  /// Throws Stopped.
  [[nodiscard]] std::optional<detector::FacesByTurn> faces_of(
      const pipeline::JobOptions& job, const detector::DetectorOptions& detector,
      const std::stop_token& stop);

 private:
  [[nodiscard]] std::shared_ptr<detector::DetectorFactory> detectors_for(
      Size picture, const detector::DetectorOptions& detector);

  std::mutex mutex_;  // guards detectors_
  std::map<int, std::shared_ptr<detector::DetectorFactory>>
      detectors_;  // by the side of their pictures
};

}  // namespace facepipe::app
