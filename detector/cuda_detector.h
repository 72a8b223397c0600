// A CUDA detector takes frames in device memory and gives candidates in device memory; the host
// takes no part in between. It is what detector.h is on the CPU.
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

/// A place for one frame in a detector, with memory of its own. One stream uses it at a time. It is
/// bound to the device of its detector.
class CudaDetection {
 public:
  virtual ~CudaDetection() = default;

  /// enqueue_preprocess() and enqueue_inference() each enqueue one part of a frame's detection, and
  /// return. They are called in this order. They allocate nothing and wait for nothing, so both can
  /// be captured once and replayed for every frame. When the work runs, it reads `frame` and the
  /// picture that `frame` describes; both are in device memory. The frame's colours are those of
  /// fill_to_rgb(). Both throw Error(internal) if `frame` is null and they read it.
  ///
  /// Converts the frame to what the detector looks at. Enqueues nothing if the detector converts in
  /// a later step.
  virtual void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) = 0;
  /// Enqueues all the rest, which makes candidates.
  virtual void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) = 0;

  void enqueue(const FrameDescriptor* frame, cuda::StreamView stream) {
    enqueue_preprocess(frame, stream);
    enqueue_inference(frame, stream);
  }

  /// Returns the candidates of the last run, in memory of this object and in the order of
  /// DetectionRequest::collect(). *count tells how many candidates there are. If it exceeds the
  /// capacity, the memory holds only the first ones in that order. `landmarks` is null if the
  /// detector finds none.
  [[nodiscard]] virtual cuda::DeviceDetections candidates() const = 0;
};

/// Finds candidates in frames of one layout. Immutable, hence thread-safe, and cheap to share.
/// Bound to the device that was current at construction.
class CudaDetector {
 public:
  virtual ~CudaDetector() = default;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;

  /// Returns how many candidates of a frame are kept at most.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;

  /// Allocates memory for one frame. The detection uses its detector, so a shared_ptr must keep the
  /// detector alive. Errors: device.
  [[nodiscard]] virtual std::unique_ptr<CudaDetection> make_detection() const = 0;
};

/// Returns `layout`. Throws Error(device), naming the detector, if `layout` is neither NV12 nor
/// P016.
[[nodiscard]] inline const StreamLayout& checked(const StreamLayout& layout,
                                                 std::string_view detector) {
  const PixelFormat& format = layout.format;
  if (!format.semi_planar || format.log2_chroma_w != 1 || format.log2_chroma_h != 1)
    throw Error(ErrorKind::device,
                std::string(detector) + ": frames on a CUDA device are NV12 or P016");
  return layout;
}

/// Tells what to do if kernels can be cut in several ways, and nobody has yet measured which way is
/// the fastest on this chip.
enum class Tuning {
  trials,  ///< all ways are tried, which takes seconds, and the result is remembered
  none,    ///< the first way is taken, which is best for a few frames
};

/// A small picture, with which the factories try what the device can compute.
inline constexpr StreamLayout kTrialLayout{{64, 64}, {.semi_planar = true}, {}};

/// A model file that was read and checked once. Makes detectors on one device for any stream.
/// Thread-safe.
class CudaDetectorFactory : public ModelInfo {
 public:
  using ModelInfo::ModelInfo;
  virtual ~CudaDetectorFactory() = default;

  /// Returns a new detector for frames of `layout`, which keeps `capacity` (>= 1) candidates of
  /// each. Makes the factory's device current in the calling thread. Errors: device for a layout
  /// other than NV12 or P016, for a size that the detector refuses, and if CUDA fails; usage for a
  /// capacity of 0.
  [[nodiscard]] virtual std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                                     std::uint32_t capacity,
                                                                     Tuning tuning) const = 0;
};

/// Reads the model, resolves engine and precision, and captures the work for a small picture. So a
/// model that the engine can't compute, or a chip that this build has no code for, is refused
/// before any input is opened. Makes `device` current in the calling thread. Errors: device, naming
/// the file, for a model that can't be read, that its family refuses or that can't be computed, and
/// if CUDA fails; usage as choose_engine(), and for options out of range; internal for an engine
/// for which works_in_host_memory() is true.
[[nodiscard]] std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(
    Device device, const DetectorOptions& options);

}  // namespace facepipe::detector
