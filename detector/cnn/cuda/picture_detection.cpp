#include "detector/cnn/cuda/picture_detection.h"

#include <limits>
#include <stdexcept>

#include "detector/cnn/cuda/tile_kernels.h"

namespace facepipe {

CudaPictureDetector make_cuda_picture_detector(const Model& model, const StreamLayout& layout,
                                               const std::optional<Size>& detect_size,
                                               const CudaDetectorOptions& options) {
  const Size picture = upright_size(layout.stored, layout.orientation);
  CudaPictureDetector detector;
  detector.tiling = tiling_for(picture, detect_size);
  const NetworkFit fit =
      detector.tiling ? detector.tiling->whole : fit_network(picture, detect_size);
  detector.whole = std::make_shared<const CudaDetector>(model, fit, layout, options);
  if (!detector.tiling) return detector;
  StreamLayout tile = layout;
  tile.stored = upright_size(detector.tiling->tile.frame, layout.orientation);  // its own inverse
  detector.tile = std::make_shared<const CudaDetector>(model, detector.tiling->tile, tile, options);
  return detector;
}

CudaPictureDetection::Tiles::Tiles(const CudaPictureDetector& detector)
    : detection(detector.tile),
      view(1),
      boxes(detector.tile->options().capacity),
      scores(boxes.size()),
      landmarks(boxes.size()),
      count(1) {}

CudaPictureDetection::CudaPictureDetection(const CudaPictureDetector& detector)
    : detector_(detector), whole_(detector.whole) {
  if (detector.tiling) tiles_.emplace(detector);
}

void CudaPictureDetection::enqueue_preprocess(const FrameDescriptor* frame,
                                              cuda::StreamView stream) {
  if (!tiles_) whole_.enqueue_preprocess(frame, stream);
}

void CudaPictureDetection::enqueue_network(const FrameDescriptor* frame, cuda::StreamView stream) {
  if (!tiles_) {
    whole_.enqueue_network(frame, stream);
    whole_.enqueue_head(stream);
    return;
  }
  if (frame == nullptr) throw std::invalid_argument("frame is null");
  cuda::fill(tiles_->count.span(), 0, stream);
  for (int tile = 0; tile < detector_.tiling->count(); ++tile) enqueue_tile(tile, frame, stream);
  constexpr float kAnywhere = std::numeric_limits<float>::max();
  whole_.enqueue(frame, stream);
  engine::launch_append(whole_.candidates(), candidates(),
                        {-kAnywhere, -kAnywhere, kAnywhere, kAnywhere}, {0, 0}, stream);
}

void CudaPictureDetection::enqueue_tile(int index, const FrameDescriptor* frame,
                                        cuda::StreamView stream) {
  const Tiling& tiling = *detector_.tiling;
  const StreamLayout& layout = detector_.tile->layout();
  engine::launch_view(frame, tiles_->view.data(), tiling.stored_origin(index, layout.orientation),
                      layout.format.bytes_per_sample(), stream);
  tiles_->detection.enqueue(tiles_->view.data(), stream);
  engine::launch_append(tiles_->detection.candidates(), candidates(), tiling.kept_area(index),
                        tiling.origin(index), stream);
}

cuda::DeviceDetections CudaPictureDetection::candidates() const {
  if (!tiles_) return whole_.candidates();
  return {tiles_->boxes.data(), tiles_->scores.data(), tiles_->landmarks.data(),
          tiles_->count.data(), static_cast<std::uint32_t>(tiles_->boxes.size())};
}

}  // namespace facepipe
