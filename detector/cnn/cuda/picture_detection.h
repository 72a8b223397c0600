// Faces in pictures of any size: in one run of the network, or of a picture too large for that in
// tiles and reduced (detector/cnn/model/tiling.h), one after the other in one stream.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/cuda_detector.h"
#include "detector/cnn/model/tiling.h"

namespace facepipe {

/// The detectors of one stream of frames. A value; the detectors are shared.
struct CudaPictureDetector {
  std::shared_ptr<const CudaDetector> whole;
  std::optional<Tiling> tiling;
  std::shared_ptr<const CudaDetector> tile;  ///< null without tiling

  /// Of a tile, where there are tiles.
  [[nodiscard]] Size network_size() const { return (tile ? tile : whole)->fit().network; }
};

/// `detect_size` as in DetectorOptions: what a user chose. Errors: as CudaDetector().
[[nodiscard]] CudaPictureDetector make_cuda_picture_detector(const Model& model,
                                                             const StreamLayout& layout,
                                                             const std::optional<Size>& detect_size,
                                                             const CudaDetectorOptions& options);

/// One frame's place: the activations of one tile, which all tiles use in turn, and those of the
/// reduced picture. Used by one stream at a time.
class CudaPictureDetection {
 public:
  explicit CudaPictureDetection(const CudaPictureDetector& detector);

  /// As those of CudaDetection; of a tiled picture the first enqueues nothing. To be called in this
  /// order.
  void enqueue_preprocess(const FrameDescriptor* frame, cuda::StreamView stream);
  void enqueue_network(const FrameDescriptor* frame, cuda::StreamView stream);
  void enqueue(const FrameDescriptor* frame, cuda::StreamView stream) {
    enqueue_preprocess(frame, stream);
    enqueue_network(frame, stream);
  }

  /// In pixels of the upright picture. In the order of the CPU's tiled detector: tile by tile, then
  /// those of the reduced picture. *count may exceed the capacity.
  [[nodiscard]] cuda::DeviceDetections candidates() const;

 private:
  /// Of tiles: the one at work, and candidates of all.
  struct Tiles {
    explicit Tiles(const CudaPictureDetector& detector);

    CudaDetection detection;
    cuda::DeviceBuffer<FrameDescriptor> view;
    cuda::DeviceBuffer<Box> boxes;
    cuda::DeviceBuffer<float> scores;
    cuda::DeviceBuffer<Landmarks> landmarks;
    cuda::DeviceBuffer<std::uint32_t> count;
  };

  void enqueue_tile(int index, const FrameDescriptor* frame, cuda::StreamView stream);

  CudaPictureDetector detector_;
  CudaDetection whole_;
  std::optional<Tiles> tiles_;
};

}  // namespace facepipe
