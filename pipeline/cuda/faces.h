// From candidates and what suppression kept of them to faces, all in device memory; and the one way
// in which faces come to the host.
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

/// How many there were of each; what a frame's record tells without its faces.
struct FaceCounts {
  std::uint32_t candidates = 0;  ///< those beyond the arrays' capacity included
  std::uint32_t kept = 0;
  std::uint32_t beyond_capacity = 0;  ///< candidates that suppression didn't look at
  std::uint32_t faces = 0;            ///< likewise beyond their capacity
};

/// Writes to `faces` what select_faces() gives on the host, in rank order: one kernel, nothing
/// allocated, nothing waited for. Boxes of kept.boxes and scores of kept.scores are taken where
/// those pointers aren't null (voting, soft), else the candidates'; kept.indices are below
/// candidates.capacity. *faces.count becomes the number of all faces, those beyond faces.capacity
/// included. Landmarks are written where faces.landmarks isn't null. `counts` lies in device memory
/// too.
/// Throws Error(internal) for a null pointer among the arrays that it needs.
void enqueue_faces(const cuda::DeviceDetections& candidates, const nms::DeviceKept& kept,
                   const FaceSizes& sizes, const cuda::DeviceDetections& faces, FaceCounts* counts,
                   cuda::StreamView stream);

/// Writes to `over` those of the candidates that score more than `score`, in their order: one
/// kernel, nothing allocated, nothing waited for. Landmarks are written where over.landmarks isn't
/// null. Throws Error(internal) for a null pointer among the arrays that it needs, and where
/// `over` has less capacity than `candidates`.
void enqueue_scored_over(const cuda::DeviceDetections& candidates, float score,
                         const cuda::DeviceDetections& over, cuda::StreamView stream);

/// What of faces comes to the host.
enum class FaceFields : std::uint8_t {
  none,    ///< counts alone
  places,  ///< boxes and scores: what tracks are made of
  all,     ///< landmarks, too
};

/// The named download of one frame in flight: counts always, faces where asked for. enqueue() is
/// recorded in the frame's graph; collect() is called once a frame, after the graph has run.
class FacesDownload {
 public:
  /// Faces that enqueue() brings along; a frame with more costs a second, waited for copy.
  static constexpr std::uint32_t kEager = 512;
  /// The same if only places are wanted: tracks need those of doubtful faces, too, and a crowd has
  /// thousands.
  static constexpr std::uint32_t kEagerPlaces = 4096;

  FacesDownload(const FaceCounts* counts, const cuda::DeviceDetections& faces, FaceFields wanted);

  /// Device to pinned memory; capture-safe.
  void enqueue(cuda::StreamView stream);

  /// Returns the counts of the last enqueue(), which must have happened.
  [[nodiscard]] const FaceCounts& counts() const { return *host_counts_.data(); }

  /// Returns the faces of the last enqueue(), which must have happened. They have the fields that
  /// were wanted, but no landmarks if the faces on the device have none. If there are more than
  /// came along, this uses `stream` and waits for it. It counts all copies of this frame.
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
};

}  // namespace facepipe::pipeline
