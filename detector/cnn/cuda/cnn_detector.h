// Implements a detector that is a network on a CUDA device. Preprocessing, network and head run in
// one stream. Our own engine computes any model that has only operators known to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/head.h"
#include "detector/cnn/cuda/network.h"
#include "detector/cnn/cuda/preprocess.h"
#include "detector/cnn/model/graph/fuse_pyramid.h"
#include "detector/cnn/model/model.h"
#include "detector/cuda_detector.h"
#include "detector/network_fit.h"

namespace facepipe::detector {

struct CudaCnnOptions {
  float score_threshold = 0.5F;    ///< 0..1; candidates need score > this
  std::uint32_t capacity = 16384;  ///< largest number of candidates that are kept for a frame, >= 1
  /// The file that stores the fastest tiles of operators on this chip; see engine::TileChooser. If
  /// the file doesn't know an operator, its tiles are measured, which takes seconds. If the path is
  /// empty, the first tile is used without measurement. The user's own file is
  /// engine::default_tile_file().
  std::filesystem::path tile_file = {};
  /// False: the tiles of unknown operators are not measured, because only a few frames will follow.
  bool tries_tiles = true;
  /// True: one kernel computes several operators, if the chip has such kernels. False: each kernel
  /// computes one operator.
  bool fused = true;
};

/// Reports the time and the trials of planning.
struct PlanReport {
  double milliseconds = 0;  ///< time from the model to weights in device memory, including trials
  int tried = 0;            ///< number of operators whose tiles were measured
  int remembered = 0;       ///< number of operators whose tiles were stored in the file
};

/// Holds the weights and the plan for one stream of frames.
class CudaCnnDetector final : public CudaDetector,
                              public std::enable_shared_from_this<CudaCnnDetector> {
 public:
  /// `fit.frame` must be the layout's upright size. Throws Error(device), naming the model's file,
  /// for a model that the engine can't compute and for a layout other than NV12 or P016. Throws
  /// Error(device) if CUDA fails, Error(usage) for options out of range, and Error(internal) for a
  /// fit of frames of another size.
  CudaCnnDetector(const Model& model, const NetworkFit& fit, const StreamLayout& layout,
                  const CudaCnnOptions& options);

  [[nodiscard]] DetectorFacts facts() const override { return {fit_.network, {}, {}}; }
  [[nodiscard]] std::uint32_t capacity() const override { return options_.capacity; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection_in(
      const LentMemory& lent) const override;

  [[nodiscard]] const NetworkFit& fit() const { return fit_; }
  /// Returns what the candidates have besides boxes and scores.
  [[nodiscard]] cuda::DetectionFields fields() const { return fields_; }
  [[nodiscard]] const engine::Network& network() const { return network_; }
  [[nodiscard]] const engine::PreprocessKernel& preprocess() const { return preprocess_; }
  [[nodiscard]] const engine::CandidateHead& head() const { return *head_; }

  [[nodiscard]] const PlanReport& plan() const { return plan_; }

  /// shared_bytes() returns the size of the detector's own device memory. detection_bytes() returns
  /// the size of a CudaCnnDetection's device memory.
  [[nodiscard]] std::size_t shared_bytes() const {
    return network_.weight_bytes() + head_->weight_bytes();
  }
  [[nodiscard]] std::size_t detection_bytes() const;

 private:
  [[nodiscard]] engine::Network planned_network(const Model& model);

  CudaCnnOptions options_;
  NetworkFit fit_;
  cuda::DetectionFields fields_;
  engine::PictureSource picture_;
  PlanReport plan_;                      ///< set by planned_network(), as is tail_
  std::optional<graph::HeadTail> tail_;  ///< the last layers, if the head computes them
  engine::Network network_;
  engine::PreprocessKernel preprocess_;
  std::unique_ptr<const engine::CandidateHead> head_;
};

/// Holds the activations and candidates of one frame.
class CudaCnnDetection final : public CudaDetection {
 public:
  /// Allocates detection_bytes(), or less if `lent` is large enough for the activations.
  explicit CudaCnnDetection(std::shared_ptr<const CudaCnnDetector> detector,
                            const LentMemory& lent = nullptr);

  /// Enqueues nothing if the network reads the picture itself.
  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) override;
  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override;

  /// Enqueue the two parts of enqueue_inference(), so that callers can measure or examine each
  /// part.
  void enqueue_network(const FrameDescriptor* frame, cuda::StreamView stream);
  void enqueue_head(cuda::StreamView stream);

  /// Returns the candidates, in the order and by the rules of decode_head()
  /// (detector/cnn/model/head.h).
  [[nodiscard]] cuda::DeviceDetections candidates() const override;
  [[nodiscard]] LentMemory lent() const override { return activations_; }

  [[nodiscard]] const CudaCnnDetector& detector() const { return *detector_; }
  /// Returns the memory in which the network's values lie; see engine::Network::place().
  [[nodiscard]] std::byte* activations() const { return activations_->data(); }

 private:
  std::shared_ptr<const CudaCnnDetector> detector_;
  LentMemory activations_;
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  cuda::DetectionBuffers found_;
};

/// Makes a detector for pictures of any size. It runs the network once, or on tiles and on the
/// reduced picture if tiling_for() returns a tiling. `detect_size` is DetectorOptions::detect_size.
/// Throws the errors of CudaCnnDetector().
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_cnn_detector(
    const Model& model, const StreamLayout& layout, const std::optional<Size>& detect_size,
    const CudaCnnOptions& options);

namespace engine {

/// Throws Error(device) for a network of the family `boxes`. The message names the first operator
/// for which this engine has no kernel, if there is one, and says what computes the network.
[[noreturn]] void refuse_boxes(const Model& model);

}  // namespace engine

}  // namespace facepipe::detector
