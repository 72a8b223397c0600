// From a frame's candidates to the faces among them, on the device, and their way to the host.
#pragma once

#include <cstdint>
#include <optional>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "nms/cuda/suppressor.h"
#include "nms/nms.h"
#include "pipeline/cuda/faces.h"

namespace facepipe::pipeline {

/// Which candidates are faces, and what of these comes to the host.
struct FaceSelectionSetup {
  std::optional<float> over;  ///< candidates of lower scores are passed over
  nms::NmsOptions nms;
  FaceSizes sizes;
  FaceFields to_host = FaceFields::none;
};

/// Selects the faces of one frame in flight. Nothing is allocated after construction. Bound to the
/// device current at construction. Its members are mostly buffers, which a captured graph refers
/// to.
class FaceSelection {
 public:
  /// @param candidates  of each frame: where enqueue() finds them
  FaceSelection(const FaceSelectionSetup& setup, const cuda::DeviceDetections& candidates);

  /// Enqueues what chooses the faces, and then what brings them to the host; capture-safe.
  void enqueue(cuda::StreamView stream);
  void enqueue_download(cuda::StreamView stream) { download_.enqueue(stream); }

  /// In device memory, after enqueue().
  [[nodiscard]] cuda::DeviceDetections faces() const { return faces_.view(); }
  /// These two return what FacesDownload has brought to the host.
  [[nodiscard]] const FaceCounts& counts() const { return download_.counts(); }
  [[nodiscard]] Detections collect(cuda::StreamView stream, CopyCounter& copies) {
    return download_.collect(stream, copies);
  }

 private:
  FaceSelectionSetup setup_;
  cuda::DeviceDetections candidates_;
  std::optional<cuda::DetectionBuffers> over_;
  nms::CudaSuppressor suppressor_;
  cuda::DeviceBuffer<std::uint32_t> kept_;
  cuda::DeviceBuffer<std::uint32_t> kept_counts_;  ///< kept, beyond the capacity
  cuda::DeviceBuffer<Box> kept_boxes_;             ///< where moves_boxes()
  cuda::DeviceBuffer<float> kept_scores_;          ///< where changes_scores()
  cuda::DetectionBuffers faces_;
  cuda::DeviceBuffer<FaceCounts> counts_;
  FacesDownload download_;
};

}  // namespace facepipe::pipeline
