// The detector that is a network on a CUDA device: preprocessing, network and head in one stream.
// Our own engine, for any model of the known operators.
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
#include "detector/cnn/model/network_fit.h"
#include "detector/cuda_detector.h"

namespace facepipe::detector {

struct CudaCnnOptions {
  float score_threshold = 0.5F;    ///< 0..1: candidates have a greater score
  std::uint32_t capacity = 16384;  ///< >= 1: candidates that are kept of a frame
  /// Where it is remembered how kernels are the fastest on this chip, as engine::TileChooser says;
  /// what isn't known is tried, which takes seconds. Empty: a fixed table, and no trials. The
  /// user's own file is engine::default_tile_file().
  std::filesystem::path tile_file = {};
  /// False: what isn't known isn't tried; for a plan that serves a few frames alone.
  bool tries_tiles = true;
  /// Several operators in a kernel where the chip has one for them; else one a kernel.
  bool fused = true;
};

/// What planning took.
struct PlanReport {
  double milliseconds = 0;  ///< from the model to weights in device memory, trials included
  int tried = 0;            ///< operators whose tiles were tried
  int remembered = 0;       ///< and those whose tiles the file knew
};

/// Weights and plan for one stream of frames.
class CudaCnnDetector final : public CudaDetector,
                              public std::enable_shared_from_this<CudaCnnDetector> {
 public:
  /// `fit.frame` is the layout's upright size. Errors: device, naming the model's file, for a model
  /// that the engine can't compute and for a layout other than NV12 or P016, and where CUDA fails;
  /// usage for options out of range; internal for a fit of another frame.
  CudaCnnDetector(const Model& model, const NetworkFit& fit, const StreamLayout& layout,
                  const CudaCnnOptions& options);

  [[nodiscard]] DetectorFacts facts() const override { return {fit_.network, {}, {}}; }
  [[nodiscard]] std::uint32_t capacity() const override { return options_.capacity; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const NetworkFit& fit() const { return fit_; }
  [[nodiscard]] const engine::Network& network() const { return network_; }
  [[nodiscard]] const engine::PreprocessKernel& preprocess() const { return preprocess_; }
  [[nodiscard]] const engine::CandidateHead& head() const { return *head_; }

  [[nodiscard]] const PlanReport& plan() const { return plan_; }

  /// Device memory of the detector itself, and of each CudaCnnDetection in it.
  [[nodiscard]] std::size_t shared_bytes() const {
    return network_.weight_bytes() + head_->weight_bytes();
  }
  [[nodiscard]] std::size_t detection_bytes() const;

 private:
  [[nodiscard]] engine::Network planned_network(const Model& model);

  CudaCnnOptions options_;
  NetworkFit fit_;
  engine::PictureSource picture_;
  PlanReport plan_;                      ///< set by what makes the network, as is
  std::optional<graph::HeadTail> tail_;  ///< what the head computes of it
  engine::Network network_;
  engine::PreprocessKernel preprocess_;
  std::unique_ptr<const engine::CandidateHead> head_;
};

/// One frame's activations and candidates.
class CudaCnnDetection final : public CudaDetection {
 public:
  /// Allocates detection_bytes().
  explicit CudaCnnDetection(std::shared_ptr<const CudaCnnDetector> detector);

  /// Nothing where the network reads the picture itself.
  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream) override;
  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override;

  /// Inference in parts, to be timed or looked at apart.
  void enqueue_network(const FrameDescriptor* frame, cuda::StreamView stream);
  void enqueue_head(cuda::StreamView stream);

  /// In raster order (YuNet: stride 8, then 16, then 32), by the rules of Head
  /// (detector/cnn/model/head.h).
  [[nodiscard]] cuda::DeviceDetections candidates() const override;

  [[nodiscard]] const CudaCnnDetector& detector() const { return *detector_; }
  /// What the network's values lie in, see engine::Network::place().
  [[nodiscard]] std::byte* activations() const { return activations_.data(); }

 private:
  std::shared_ptr<const CudaCnnDetector> detector_;
  cuda::DeviceBuffer<std::byte> activations_;
  cuda::DeviceBuffer<std::uint32_t> scratch_;
  cuda::DetectionBuffers found_;
};

/// For pictures of any size: in one run of the network, or in tiles and reduced as tiling_for()
/// says. `detect_size` as in DetectorOptions. Errors: as CudaCnnDetector().
[[nodiscard]] std::shared_ptr<const CudaDetector> make_cuda_cnn_detector(
    const Model& model, const StreamLayout& layout, const std::optional<Size>& detect_size,
    const CudaCnnOptions& options);

}  // namespace facepipe::detector
