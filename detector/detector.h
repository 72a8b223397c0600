// A detector takes frames and gives candidates: it preprocesses, runs the network, and decodes the
// network's head.
//
// A Detector knows nothing of suppression. Its interface knows nothing of networks: a cascade of
// boosted classifiers, or trees over channel features, can also stand behind it.
#pragma once

#include <memory>
#include <stop_token>

#include "core/copies.h"
#include "core/detections.h"
#include "core/frame.h"
#include "core/timing.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Takes one frame at a time through a detector. Detector::acquire() makes it. It gives its place
/// back when it is destroyed, in any state. One thread uses it at a time; threads may change
/// between calls. The calls are prepare, start and collect, in this order, and again for the same
/// or another frame.
class DetectionRequest {
 public:
  virtual ~DetectionRequest() = default;

  /// Converts the frame to the network's input. If the frame is tiled, only the first tile is
  /// converted. The caller may pass the frame on, but its samples must stay unchanged until
  /// collect() has returned. The request keeps the frame's owner. Throws Error(internal) if the
  /// frame's upright size is not the detector's.
  virtual void prepare(const Frame& frame) = 0;

  /// Starts the network. An engine that can't work in the background runs it here.
  virtual void start() = 0;

  /// Waits for the network and decodes its head. Returns candidates with score > score_threshold in
  /// raster order, in pixels of the upright frame. In a tiled picture the order is tile by tile,
  /// then the candidates of the reduced picture. Boxes are clipped to the frame. Only those of a
  /// cascade with DetectorOptions::every_window may reach beyond its right and lower edge, by two
  /// pixels. If an edge cuts off a face, its landmarks may lie outside. A detector may find no
  /// landmarks. Throws Error(device) if the engine fails.
  [[nodiscard]] virtual Detections collect() = 0;

  /// Returns the time from the begin of start() until the candidates were ready. Valid after
  /// collect().
  [[nodiscard]] virtual Interval inference() const = 0;

  /// Adds the copies between host and device that the last collect() needed.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// Finds candidates in frames of one upright size. Thread-safe.
class Detector {
 public:
  virtual ~Detector() = default;

  /// Returns a free request, and waits until there is one. Throws Stopped if `stop` is requested
  /// first.
  [[nodiscard]] virtual std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) = 0;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;
};

/// A model file that was read and checked once. Makes detectors for any frame size, and keeps the
/// last few. Thread-safe.
class DetectorFactory : public ModelInfo {
 public:
  using ModelInfo::ModelInfo;
  virtual ~DetectorFactory() = default;

  /// Returns the detector for frames whose upright size is `frame`. Errors: device, if the engine
  /// refuses.
  [[nodiscard]] virtual std::shared_ptr<Detector> detector(Size frame) = 0;
};

/// Makes a factory of detectors that look at host memory. These are the CPU's, and those of a CUDA
/// device's engine that works_in_host_memory(); the factory tries such an engine with a small
/// picture. Reads the model and resolves engine and precision. Errors: device, naming the file, for
/// a model that can't be read or that its family (families.h) refuses, and if the device can't
/// compute it; usage if the user named an engine, a network size or sizes of faces that the model
/// can't have.
[[nodiscard]] std::unique_ptr<DetectorFactory> make_detector_factory(
    const Device& device, const DetectorOptions& options);

}  // namespace facepipe::detector
