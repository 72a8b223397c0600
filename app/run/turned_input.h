// Finds out, before a run works on an input, whether its decoded pictures show rotated faces. This
// happens if the input has lost its rotation tag. TurnedInputs searches a few pictures in all four
// rotations.
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

/// Keeps its detectors for the next inputs of a run. Thread-safe.
class TurnedInputs {
 public:
  /// Counts the faces in pictures that are spread over the chosen range of an input, in each of the
  /// four turns. Works on the CPU, on at most 6 pictures. Stops after two pictures if these show
  /// far more upright faces than turned faces. Reduces pictures to 640 pixels a side, and decodes
  /// at most 32 frames for each picture. Returns nullopt in three cases:
  /// * the input is not a regular file, so it can be read only once;
  /// * the model is not a network;
  /// * there is an error, which the job itself will report.
  /// @param detector  must have the same model in all calls; its options about a CUDA device's
  ///        engine are ignored
  /// Throws Stopped.
  [[nodiscard]] std::optional<detector::FacesByTurn> faces_of(
      const pipeline::JobOptions& job, const detector::DetectorOptions& detector,
      const std::stop_token& stop);

 private:
  [[nodiscard]] std::shared_ptr<detector::DetectorFactory> detectors_for(
      Size picture, const detector::DetectorOptions& detector);

  std::mutex mutex_;  // guards detectors_
  std::map<int, std::shared_ptr<detector::DetectorFactory>>
      detectors_;  // key: side of the detectors' pictures, in pixels
};

}  // namespace facepipe::app
