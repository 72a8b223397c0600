// Frames in, candidates out: preprocessing, the network, and the decoding of its head.
//
// A Detector knows nothing of suppression, and its interface nothing of networks: a cascade of
// boosted classifiers stands behind it as well, and so do trees over channel features.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/copies.h"
#include "core/detections.h"
#include "core/frame.h"
#include "core/timing.h"
#include "detector/acf/model/acf.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::detector {

/// One frame's way through a detector. Made by Detector::acquire; gives its place back when it is
/// destroyed, whatever state it is in. Used by one thread at a time; may change threads between
/// calls. Order of calls: prepare, start, collect; and again, for the same or another frame.
class DetectionRequest {
 public:
  virtual ~DetectionRequest() = default;

  /// Converts the frame to the network's input; of a tiled one the first part. The frame may go on,
  /// but its samples must stay as they are until collect() has returned; its owner is kept.
  /// Throws Error(internal) if the frame's upright size is not the detector's.
  virtual void prepare(const Frame& frame) = 0;

  /// Starts the network; an engine that can't work in the background runs it here.
  virtual void start() = 0;

  /// Waits for the network and decodes its head: candidates in raster order (of a tiled picture
  /// tile by tile, then those of the reduced one) with score > score_threshold, in pixels of the
  /// upright frame. Boxes are clipped to it, but those of a cascade with
  /// DetectorOptions::every_window, which may lie beyond its right and lower edge by two pixels.
  /// Landmarks of a face that an edge cuts off may lie outside,
  /// and a detector may find none. Throws Error(device) on failure of the engine.
  [[nodiscard]] virtual Detections collect() = 0;

  /// Begin of start() to candidates ready; valid after collect().
  [[nodiscard]] virtual Interval inference() const = 0;

  /// Adds what was copied between host and device for what collect() gave last.
  virtual void count_copies(CopyCounter& /*copies*/) const {}
};

/// Finds candidates in frames of one upright size. Thread-safe.
class Detector {
 public:
  virtual ~Detector() = default;

  /// A free request; waits for one, throws Stopped if `stop` is requested first.
  [[nodiscard]] virtual std::unique_ptr<DetectionRequest> acquire(const std::stop_token& stop) = 0;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;
};

/// A model file, read and checked once; makes detectors for any frame size, and keeps the last few.
/// Thread-safe.
class DetectorFactory : public DetectorOrigin {
 public:
  using DetectorOrigin::DetectorOrigin;
  virtual ~DetectorFactory() = default;

  /// The detector for frames whose upright size is `frame`. Errors: device (the engine refuses).
  [[nodiscard]] virtual std::shared_ptr<Detector> detector(Size frame) = 0;
};

/// Of detectors that look at host memory: of the CPU, and of a CUDA device's engine that
/// works_in_host_memory(), which is tried with a small picture.
/// Reads the model and resolves engine and precision. Errors: device, naming the file, for a
/// model that can't be read, or is neither a known face model in ONNX, nor a cascade in XML, nor
/// channel features in JSON, and where the device can't compute it; usage where engine, network
/// size or sizes of faces were named that the model can't have.
[[nodiscard]] std::unique_ptr<DetectorFactory> make_detector_factory(
    const Device& device, const DetectorOptions& options);

/// Of a cascade: the file tells what computes it, and what a user named is not replaced.
/// Error(usage), naming the file, where an engine or a size was named that cascades can't have.
[[nodiscard]] EngineChoice choose_cascade_engine(const Device& device,
                                                 const DetectorOptions& options);

/// The same of channel features.
[[nodiscard]] EngineChoice choose_acf_engine(const Device& device, const DetectorOptions& options);

/// Channel features. Errors: as acf::read_model(); usage, naming the file, for a min_face that
/// would enlarge the picture too much.
[[nodiscard]] acf::Model read_acf_model(const DetectorOptions& options);

/// What computes a model file, by its content, where that is no network.
[[nodiscard]] std::optional<Library> library_of(const std::filesystem::path& model);

/// Of a network. Error(usage), naming the file, where an option was named that only cascades have,
/// or an engine that computes no networks.
void check_network_options(const DetectorOptions& options);

}  // namespace facepipe::detector
