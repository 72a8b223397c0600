// Declares detectors that find candidates on a CUDA device. Frames and candidates are in device
// memory, and the host isn't involved in between. detector.h declares the detectors on the CPU.
//
// The interface doesn't depend on suppression or on networks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/device.h"
#include "core/error.h"
#include "detector/facts.h"
#include "detector/options.h"

namespace facepipe::detector {

/// Device memory that several detections use, of which only one works at a time, in one stream. Its
/// contents are undefined before and after the work of a detection.
using LentMemory = std::shared_ptr<const cuda::DeviceBuffer<std::byte>>;

/// Holds a detector's memory for one frame. Only one stream at a time may use it. It belongs to the
/// device of its detector.
class CudaDetection {
 public:
  virtual ~CudaDetection() = default;

  /// Says for which frames the next calls enqueue work: for those whose Frame::index modulo
  /// CudaDetector::phases() is `phase`. Before the first call, the phase is 0. The results of all
  /// phases are in the same memory.
  virtual void set_phase(int /*phase*/) {}

  /// enqueue_preprocess() and enqueue_inference() each enqueue one part of a frame's detection, and
  /// return. They must be called in this order. They allocate nothing and wait for nothing, so both
  /// can be captured once and replayed for every frame of the phase. When the work runs, it reads
  /// `frame` and the picture that `frame` describes; both are in device memory. The frame's colours
  /// are those of fill_to_rgb(). A function that reads `frame` throws Error(internal) if `frame` is
  /// null.
  ///
  /// enqueue_preprocess() converts the frame to the detector's input. It enqueues nothing if the
  /// detector converts in a later step.
  virtual void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) = 0;
  /// Enqueues everything else that is needed to find candidates.
  virtual void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) = 0;

  void enqueue(const FrameDescriptor* frame, cuda::StreamView stream) {
    enqueue_preprocess(frame, stream);
    enqueue_inference(frame, stream);
  }

  /// Returns the candidates of the last run, in memory of this object and in the order of
  /// DetectionRequest::collect(). *count is the number of candidates. If it exceeds the capacity,
  /// the memory holds only the first candidates in that order. `landmarks` is null if the detector
  /// finds no landmarks, and `classes` if it finds one class.
  [[nodiscard]] virtual cuda::DeviceDetections candidates() const = 0;

  /// Returns the memory that only the work itself needs. Null if the detection lends none.
  [[nodiscard]] virtual LentMemory lent() const { return nullptr; }
};

/// Finds candidates in frames of one layout. Immutable, hence thread-safe, and cheap to share.
/// Belongs to the device that was current at construction.
class CudaDetector {
 public:
  virtual ~CudaDetector() = default;

  [[nodiscard]] virtual DetectorFacts facts() const = 0;

  /// Returns the largest number of candidates that are kept for a frame.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;

  /// Returns in how many ways frames are searched: each frame in the way of its phase, which is
  /// Frame::index modulo this number. See CudaDetection::set_phase().
  [[nodiscard]] virtual int phases() const { return 1; }

  /// Allocates memory for one frame. The detection uses its detector, so a shared_ptr must keep the
  /// detector alive. Throws Error(device) if CUDA fails.
  [[nodiscard]] virtual std::unique_ptr<CudaDetection> make_detection() const = 0;
  /// Does the same for a detection that may work in the memory of another detection. If `lent` is
  /// null or too small, or if this kind of detection can't, it has memory of its own.
  [[nodiscard]] virtual std::unique_ptr<CudaDetection> make_detection_in(
      const LentMemory& /*lent*/) const {
    return make_detection();
  }
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

/// The most candidates of a frame for which a model of several classes has room, unless one class
/// alone needs more.
inline constexpr std::uint32_t kMostOfAllClasses = 1U << 18;

/// Returns how many candidates of a frame a model has room for, if `capacity` candidates of each of
/// its classes are wanted. Any class may have all of this room.
[[nodiscard]] constexpr std::uint32_t room_for(std::size_t classes, std::uint32_t capacity) {
  const std::uint64_t all = std::uint64_t{capacity} * classes;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(all, std::max(capacity, kMostOfAllClasses)));
}

/// Says what to do if kernels can divide their work in several ways, and it isn't yet known which
/// way is the fastest on this chip.
enum class Tuning {
  trials,  ///< all ways are measured, which takes seconds, and the result is remembered
  none,    ///< the first way is used, which is best for a few frames
};

/// A small picture with which the factories test what the device can compute.
inline constexpr StreamLayout kTrialLayout{{64, 64}, {.semi_planar = true}, {}};

/// Holds a model file that was read and checked once. Makes detectors on one device, for any
/// stream. Thread-safe.
class CudaDetectorFactory : public ModelInfo {
 public:
  using ModelInfo::ModelInfo;
  explicit CudaDetectorFactory(ModelInfo info) : ModelInfo(std::move(info)) {}
  virtual ~CudaDetectorFactory() = default;

  /// Returns a new detector for frames of `layout`. It keeps room_for() candidates of each frame
  /// for each model, if `capacity` (>= 1) candidates of each class are wanted. Makes the factory's
  /// device current in the calling thread. Throws Error(device) if the layout is neither NV12 nor
  /// P016, if the detector refuses the size, or if CUDA fails. Throws Error(usage) if the capacity
  /// is 0.
  [[nodiscard]] virtual std::shared_ptr<const CudaDetector> detector(const StreamLayout& layout,
                                                                     std::uint32_t capacity,
                                                                     Tuning tuning) const = 0;
};

/// Reads the models, resolves engine and precision, and captures each model's work for a small
/// picture. So a model that the engine can't compute, or a chip for which this build has no code,
/// is refused before any input is opened. With several models, the detectors search each frame with
/// one model after the other, in one stream. Makes `device` current in the calling thread.
/// * Throws Error(device), naming the file, if the model can't be read, if its family refuses it,
///   or if it can't be computed. Throws Error(device) if CUDA fails.
/// * Throws Error(usage) as choose_engine() and models_of() do, and if options are out of range.
/// * Throws Error(internal) for an engine for which works_in_host_memory() is true.
[[nodiscard]] std::unique_ptr<CudaDetectorFactory> make_cuda_detector_factory(
    Device device, const DetectorOptions& options);

}  // namespace facepipe::detector
