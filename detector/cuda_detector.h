// Frames in device memory in, candidates in device memory out, with no host in between: what
// detector.h is on the CPU.
//
// The interface knows nothing of suppression, and nothing of networks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/device.h"
#include "core/error.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::detector {

/// One frame's place in a detector, with memory of its own. Used by one stream at a time. Bound to
/// the device of its detector.
class CudaDetection {
 public:
  virtual ~CudaDetection() = default;

  /// Enqueue one part of a frame's detection each, to be called in this order, and return: nothing
  /// is allocated, nothing waited for, so both can be captured once and replayed for every frame.
  /// `frame` is in device memory and read, like the picture that it describes, when the work runs;
  /// its colours are those of fill_to_rgb(). Throw std::invalid_argument for null where it is read.
  ///
  /// The conversion to what the detector looks at; nothing where that is no step of its own.
  virtual void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) = 0;
  /// All the rest, which makes candidates of it.
  virtual void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) = 0;

  /// Both.
  void enqueue(const FrameDescriptor* frame, cuda::StreamView stream) {
    enqueue_preprocess(frame, stream);
    enqueue_inference(frame, stream);
  }

  /// Those of the last run, as DetectionRequest::collect() gives them, in memory of this object.
  /// *count may exceed the capacity: then the first ones in that order are there, and *count tells
  /// how many there would be. `landmarks` is null of a detector that finds none.
  [[nodiscard]] virtual cuda::DeviceDetections candidates() const = 0;
};

/// Finds candidates in frames of one layout. Immutable, hence thread-safe, and cheap to share.
/// Bound to the device that was current at construction.
class CudaDetector {
 public:
  virtual ~CudaDetector() = default;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;

  /// Candidates that are kept of a frame.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;

  /// Allocates one frame's memory; the detection keeps its detector, which a shared_ptr must hold.
  /// Errors: device.
  [[nodiscard]] virtual std::unique_ptr<CudaDetection> make_detection() const = 0;
};

/// `layout`. Error(device), naming the detector, where it is neither NV12 nor P016.
[[nodiscard]] inline const StreamLayout& checked(const StreamLayout& layout,
                                                 std::string_view detector) {
  const PixelFormat& format = layout.format;
  if (!format.semi_planar || format.log2_chroma_w != 1 || format.log2_chroma_h != 1)
    throw Error(ErrorKind::device,
                std::string(detector) + ": frames on a CUDA device are NV12 or P016");
  return layout;
}

/// What becomes of kernels that can be cut in several ways, where nobody has found out yet which is
/// the fastest on this chip.
enum class Tuning {
  trials,  ///< they are tried, which takes seconds, and the result is remembered
  none,    ///< the first way is taken: for a few frames
};

/// A model file, read and checked once; makes detectors on one device for any stream. Thread-safe.
class CudaDetectorFactory : public DetectorOrigin {
 public:
  using DetectorOrigin::DetectorOrigin;
  virtual ~CudaDetectorFactory() = default;

  /// A new detector for frames of `layout` that keeps `capacity` (>= 1) candidates of each. Makes
  /// the device the calling thread's. Errors: device for a layout other than NV12 or P016, for a
  /// size that the detector refuses, and where CUDA fails; usage for a capacity of 0.
  [[nodiscard]] virtual std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                                     std::uint32_t capacity,
                                                                     Tuning tuning) const = 0;
};

/// Reads the model, resolves engine and precision, and captures the work for a small picture, so
/// that a model that the engine can't compute, or a chip that this build has no code for, is
/// refused before any input is opened. Makes `device` the calling thread's.
/// Errors: device, naming the file, for a model that can't be read, is no known face model or can't
/// be computed, and where CUDA fails; usage as choose_engine(), and for options out of range;
/// internal for an engine that works_in_host_memory().
[[nodiscard]] std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(
    Device device, const DetectorOptions& options);

}  // namespace facepipe::detector
