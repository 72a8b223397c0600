// Selects a frame's faces from its candidates on the device, and brings them to the host.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "nms/cuda/class_suppressor.h"
#include "nms/nms.h"
#include "pipeline/cuda/faces.h"

namespace facepipe::pipeline {

/// Says which candidates are faces, and which of their data come to the host.
struct FaceSelectionSetup {
  /// Only candidates that score more than the value for their class are used; empty: all are used.
  std::vector<float> over;
  nms::NmsOptions nms;
  /// NmsOptions::threshold of each class. Empty: there is one class, and the threshold of `nms`
  /// applies.
  std::vector<float> overlaps;
  FaceSizes sizes;
  FaceDownload to_host = FaceDownload::none;
};

/// Selects the faces of one frame in flight. Allocates nothing after construction. Bound to the
/// device that is current at construction. Most of its members are buffers that a captured graph
/// refers to.
class FaceSelection {
 public:
  /// Throws Error(internal) if `candidates` have classes, but the setup has no value for each
  /// class, or the other way round.
  /// @param candidates  the device memory in which enqueue() finds the candidates of each frame
  FaceSelection(const FaceSelectionSetup& setup, const cuda::DeviceDetections& candidates);

  /// Enqueues the selection of the faces. Can be captured.
  void enqueue(cuda::StreamView stream);
  /// Enqueues the copy of the faces to the host. Can be captured.
  void enqueue_download(cuda::StreamView stream) { download_.enqueue(stream); }

  /// Returns the device memory to which enqueue() writes the faces.
  [[nodiscard]] cuda::DeviceDetections faces() const { return faces_.view(); }
  /// The next two functions return the counts and the faces that FacesDownload has brought to the
  /// host.
  [[nodiscard]] const FaceCounts& counts() const { return download_.counts(); }
  [[nodiscard]] Detections collect(cuda::StreamView stream, CopyCounter& copies) {
    return download_.collect(stream, copies);
  }

 private:
  FaceSelectionSetup setup_;
  cuda::DeviceDetections candidates_;
  cuda::DeviceBuffer<float> over_scores_;
  std::optional<cuda::DetectionBuffers> over_;
  nms::CudaClassSuppressor suppressor_;
  cuda::DeviceBuffer<std::uint32_t> kept_;
  /// Two numbers: kept candidates, and candidates beyond the capacity.
  cuda::DeviceBuffer<std::uint32_t> kept_counts_;
  cuda::DeviceBuffer<Box> kept_boxes_;     ///< empty unless moves_boxes()
  cuda::DeviceBuffer<float> kept_scores_;  ///< empty unless changes_scores()
  cuda::DetectionBuffers faces_;
  cuda::DeviceBuffer<FaceCounts> counts_;
  FacesDownload download_;
};

}  // namespace facepipe::pipeline
