#include "detector/cnn/cuda/tiled_detector.h"

#include <limits>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/error.h"
#include "detector/cnn/cuda/tile_kernels.h"

namespace facepipe::detector {
namespace {

class CudaTiledDetector final : public CudaDetector,
                                public std::enable_shared_from_this<CudaTiledDetector> {
 public:
  CudaTiledDetector(const Tiling& tiling, const StreamLayout& layout,
                    std::shared_ptr<const CudaDetector> tile,
                    std::shared_ptr<const CudaDetector> whole)
      : tiling_(tiling), layout_(layout), tile_(std::move(tile)), whole_(std::move(whole)) {}

  [[nodiscard]] DetectorFacts facts() const override {
    DetectorFacts facts = tile_->facts();
    facts.tiling = tiling_;
    return facts;
  }
  [[nodiscard]] std::uint32_t capacity() const override { return tile_->capacity(); }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override;

  [[nodiscard]] const Tiling& tiling() const { return tiling_; }
  [[nodiscard]] const StreamLayout& layout() const { return layout_; }
  [[nodiscard]] const CudaDetector& tile() const { return *tile_; }
  [[nodiscard]] const CudaDetector& whole() const { return *whole_; }

 private:
  Tiling tiling_;
  StreamLayout layout_;
  std::shared_ptr<const CudaDetector> tile_;
  std::shared_ptr<const CudaDetector> whole_;
};

class CudaTiledDetection final : public CudaDetection {
 public:
  explicit CudaTiledDetection(std::shared_ptr<const CudaTiledDetector> detector)
      : detector_(std::move(detector)),
        tile_(detector_->tile().make_detection()),
        whole_(detector_->whole().make_detection()),
        view_(1),
        found_(detector_->capacity(), cuda::fields_of(tile_->candidates())) {}

  /// Enqueues nothing: each tile and the reduced picture are converted directly before the network
  /// runs on them.
  void enqueue_preprocess(const FrameDescriptor* /*frame*/, cuda::StreamView /*stream*/) override {}
  void enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) override;
  [[nodiscard]] cuda::DeviceDetections candidates() const override { return found_.view(); }

 private:
  void enqueue_tile(int index, const FrameDescriptor* frame, cuda::StreamView stream);

  std::shared_ptr<const CudaTiledDetector> detector_;
  std::unique_ptr<CudaDetection> tile_;
  std::unique_ptr<CudaDetection> whole_;
  cuda::DeviceBuffer<FrameDescriptor> view_;  ///< descriptor of the tile on which the network runs
  cuda::DetectionBuffers found_;  ///< candidates of all tiles and of the reduced picture
};

std::unique_ptr<CudaDetection> CudaTiledDetector::make_detection() const {
  return std::make_unique<CudaTiledDetection>(shared_from_this());
}

void CudaTiledDetection::enqueue_inference(const FrameDescriptor* frame, cuda::StreamView stream) {
  if (frame == nullptr) throw Error(ErrorKind::internal, "detector: the frame is null");
  cuda::clear(found_.view(), stream);
  for (int tile = 0; tile < detector_->tiling().count(); ++tile) enqueue_tile(tile, frame, stream);
  constexpr float kAnywhere = std::numeric_limits<float>::max();
  whole_->enqueue(frame, stream);
  engine::launch_append(whole_->candidates(), candidates(),
                        {-kAnywhere, -kAnywhere, kAnywhere, kAnywhere}, {0, 0}, stream);
}

void CudaTiledDetection::enqueue_tile(int index, const FrameDescriptor* frame,
                                      cuda::StreamView stream) {
  const Tiling& tiling = detector_->tiling();
  const StreamLayout& layout = detector_->layout();
  engine::launch_view(frame, view_.data(), tiling.stored_origin(index, layout.orientation),
                      layout.format.bytes_per_sample(), stream);
  tile_->enqueue(view_.data(), stream);
  engine::launch_append(tile_->candidates(), candidates(), tiling.kept_area(index),
                        tiling.origin(index), stream);
}

}  // namespace

std::shared_ptr<const CudaDetector> make_cuda_tiled_detector(
    const Tiling& tiling, const StreamLayout& layout, std::shared_ptr<const CudaDetector> tile,
    std::shared_ptr<const CudaDetector> whole) {
  return std::make_shared<CudaTiledDetector>(tiling, layout, std::move(tile), std::move(whole));
}

}  // namespace facepipe::detector
