// Selects faces from the candidates that suppression has kept, in device memory, and downloads
// them.
#pragma once

#include <cstdint>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "nms/cuda/suppressor.h"
#include "pipeline/faces.h"

namespace facepipe::pipeline {

/// Counts of one frame.
struct FaceCounts {
  /// All candidates, including those beyond the arrays' capacity, and those that were lost before
  /// (DeviceDetections::lost).
  std::uint32_t candidates = 0;
  std::uint32_t kept = 0;             ///< candidates that suppression has kept
  std::uint32_t beyond_capacity = 0;  ///< candidates that suppression, or a step before, had no
                                      ///< room for
  std::uint32_t faces = 0;            ///< all faces, including those beyond the arrays' capacity
};

/// Enqueues one kernel that writes to `faces` the faces that select_faces() returns on the host, in
/// rank order. Allocates nothing and doesn't wait. The kernel takes boxes from kept.boxes and
/// scores from kept.scores. If one of these pointers is null, it takes the candidates' values
/// instead. kept.indices must be below candidates.capacity. *faces.count becomes the number of all
/// faces, including those beyond faces.capacity. Landmarks are written if faces.landmarks isn't
/// null, and classes if faces.classes isn't null. Throws Error(internal) if a required pointer is
/// null.
/// @param kept    what CudaClassSuppressor has kept; if there are no classes, CudaSuppressor
/// @param counts  in device memory
void enqueue_faces(const cuda::DeviceDetections& candidates, const nms::DeviceKept& kept,
                   const FaceSizes& sizes, const cuda::DeviceDetections& faces, FaceCounts* counts,
                   cuda::StreamView stream);

/// Enqueues one kernel that writes to `over` the candidates that score more than the value in
/// `scores` for their class, in their order. Allocates nothing and doesn't wait. Landmarks are
/// written if over.landmarks isn't null, and classes if over.classes isn't null. *over.lost becomes
/// the number of candidates that neither `candidates` nor a step before had room for: nobody knows
/// their scores. Throws Error(internal) if a required pointer is null, and if `over` has less
/// capacity than `candidates`.
/// @param scores  in device memory, one for each class
void enqueue_scored_over(const cuda::DeviceDetections& candidates, const float* scores,
                         const cuda::DeviceDetections& over, cuda::StreamView stream);

/// Says which data of faces come to the host. The counts always come.
enum class FaceDownload : std::uint8_t {
  none,    ///< no data of faces
  places,  ///< boxes, scores and classes, which tracks need
  all,     ///< boxes, scores, classes and landmarks
};

/// Downloads the counts of one frame in flight, and its faces if they are wanted. enqueue() is
/// recorded in the frame's graph. collect() is called once for each frame, after the graph has run.
class FacesDownload {
 public:
  /// The most faces that enqueue() copies. If a frame has more, collect() copies the rest and
  /// waits.
  static constexpr std::uint32_t kEager = 512;
  /// Replaces kEager for FaceDownload::places. Tracks also need the boxes of weak detections, and a
  /// crowd has thousands of them.
  static constexpr std::uint32_t kEagerPlaces = 4096;

  FacesDownload(const FaceCounts* counts, const cuda::DeviceDetections& faces, FaceDownload wanted);

  /// Enqueues the copy from the device to pinned memory. Can be captured.
  void enqueue(cuda::StreamView stream);

  /// Returns the counts of the last enqueue(), whose copy must have ended.
  [[nodiscard]] const FaceCounts& counts() const { return *host_counts_.data(); }

  /// Returns the faces of the last enqueue(), whose copy must have ended. The faces have the wanted
  /// fields, but no landmarks or classes if the faces on the device have none. If there are more
  /// faces than enqueue() copies, copies the rest in `stream` and waits. Counts all copies of this
  /// frame.
  [[nodiscard]] Detections collect(cuda::StreamView stream, CopyCounter& copies);

 private:
  void fetch(std::uint32_t first, std::uint32_t count, cuda::StreamView stream);

  const FaceCounts* counts_;
  cuda::DeviceDetections faces_;
  std::uint32_t eager_;
  cuda::PinnedBuffer<FaceCounts> host_counts_;
  cuda::PinnedBuffer<Box> boxes_;
  cuda::PinnedBuffer<float> scores_;
  cuda::PinnedBuffer<Landmarks> landmarks_;
  cuda::PinnedBuffer<std::uint16_t> classes_;
};

}  // namespace facepipe::pipeline
