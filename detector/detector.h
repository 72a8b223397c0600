// Declares detectors on the CPU. They take frames and return candidates. A network's detector
// preprocesses a frame, runs the network, and decodes the network's head.
//
// The interface depends neither on suppression nor on networks. A cascade of boosted classifiers,
// or trees over channel features, can also implement it.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "core/copies.h"
#include "core/detections.h"
#include "core/frame.h"
#include "core/timing.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Finds candidates in one frame at a time. Detector::acquire() returns a free request. The request
/// becomes free again when this object is destroyed, in any state. Different threads may use an
/// object, but only one at a time. Callers must call prepare(), start() and collect(), in this
/// order. Then they may do this again, for the same frame or for another frame.
class DetectionRequest {
 public:
  virtual ~DetectionRequest() = default;

  /// Converts the frame to the network's input. If the frame is tiled, converts only the first
  /// tile. The caller may use the frame meanwhile, but its samples must stay unchanged until
  /// collect() has returned. The request shares the ownership of the frame. Throws Error(internal)
  /// if the frame's upright size is not the detector's.
  virtual void prepare(const Frame& frame) = 0;

  /// Starts the network. If the engine can't work in the background, runs the network here.
  virtual void start() = 0;

  /// Waits for the network and decodes its head. Returns the candidates with score >
  /// score_threshold in raster order, in pixels of the upright frame. In a tiled picture they are
  /// ordered tile by tile; the candidates of the reduced picture are last. Boxes are clipped to the
  /// frame. (Exception: the boxes of a cascade with DetectorOptions::every_window may extend beyond
  /// the frame's right and lower edges by two pixels.) If the frame's edge cuts a face, its
  /// landmarks may lie outside of the frame. A detector may find no landmarks. Throws Error(device)
  /// if the engine fails.
  [[nodiscard]] virtual Detections collect() = 0;

  /// Returns the time from the beginning of start() until the candidates were ready. Valid after
  /// collect().
  [[nodiscard]] virtual Interval inference() const = 0;

  /// Adds the copies between host and device that the last collect() needed.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// Finds candidates in frames of one upright size. Thread-safe.
class Detector {
 public:
  virtual ~Detector() = default;

  /// Waits until a request is free, and returns it. Throws Stopped if a stop is requested first.
  [[nodiscard]] virtual std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) = 0;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;
};

/// Holds a model file that was read and checked once. Makes detectors for any frame size, and keeps
/// the last few of them. Thread-safe.
class DetectorFactory : public ModelInfo {
 public:
  using ModelInfo::ModelInfo;
  explicit DetectorFactory(ModelInfo info) : ModelInfo(std::move(info)) {}
  virtual ~DetectorFactory() = default;

  /// Returns the detector for frames whose upright size is `frame`. Throws Error(device) if the
  /// engine refuses the size.
  [[nodiscard]] virtual std::shared_ptr<Detector> detector(Size frame) = 0;
};

/// Makes a factory of detectors that find faces in host memory. These are the detectors on the CPU,
/// and those of a CUDA device's engine for which works_in_host_memory() is true. The factory tests
/// such an engine with a small picture. Reads the model and resolves engine and precision. With
/// DetectorOptions::more_models, each frame is searched with all models, and candidates come model
/// by model.
/// * Throws Error(device), naming the file, if the model can't be read or its family (families.h)
///   refuses it, or if the device can't compute it.
/// * Throws Error(usage) if the user named an engine, a network size or sizes of faces that the
///   model can't have. Throws the errors of models_of() (models.h).
[[nodiscard]] std::unique_ptr<DetectorFactory> make_detector_factory(
    const Device& device, const DetectorOptions& options);

}  // namespace facepipe::detector
