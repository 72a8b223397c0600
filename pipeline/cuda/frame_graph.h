// All that is done to one frame on the device, captured once: from its surface to candidates, faces
// and drawings on the same surface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"
#include "core/cuda/stream.h"
#include "core/detections.h"
#include "core/frame_record.h"
#include "core/timing.h"
#include "detector/cuda_detector.h"
#include "nms/nms.h"
#include "overlay/cuda/overlay.h"
#include "pipeline/cuda/descriptor.h"
#include "pipeline/cuda/face_selection.h"
#include "video/cuda/pictures.h"

namespace facepipe::pipeline {

/// Where faces are followed from frame to frame: the scores over which candidates are followed, and
/// over which they are faces. The detector was asked for all over the lower of them.
struct FollowedScores {
  float followed = 0;
  float face = 0;
  friend bool operator==(const FollowedScores&, const FollowedScores&) = default;
};

/// What is the same for all frames of a job. Its eight members are all that a graph is captured
/// from.
struct FrameGraphSetup {
  std::shared_ptr<const detector::CudaDetector> detector;
  overlay::CudaOverlaySetup overlay;  ///< no style: nothing is drawn
  nms::NmsOptions nms;
  FaceSizes sizes;
  FaceFields to_host = FaceFields::none;
  std::optional<FollowedScores> follow;
  bool times_stages = false;  ///< events between the stages; they cost some time
  cuda::Event::Wait wait = cuda::Event::Wait::spinning;  ///< in FrameGraph::wait()
};

/// One place for a frame in flight: its own stream, memory and graph. Nothing is allocated after
/// construction. Bound to the device current at construction; used by one thread at a time.
/// Its members are the steps that the graph was captured from, which must live as long as the
/// graph.
class FrameGraph {
 public:
  /// Errors: Error(device).
  explicit FrameGraph(const FrameGraphSetup& setup);

  /// Enqueues all of it behind Frame::ready and returns. The frame must live until wait().
  void launch(const Frame& frame, CopyCounter& copies);

  /// Waits until it has happened. Errors: Error(device).
  void wait();

  /// Fills in candidates, face_count, faces and times of the frame that was waited for.
  /// @param launched  when launch() was called
  /// @param seen      when wait() returned
  void fill(FrameRecord& record, Clock::time_point launched, Clock::time_point seen,
            CopyCounter& copies);

  /// Returns the detections of that frame that tracks need, suppressed as tracks want it. To be
  /// called only if faces are followed.
  [[nodiscard]] Detections to_follow(CopyCounter& copies) {
    return to_follow_->collect(stream_, copies);
  }

  /// Returns how many candidates of that frame suppression had no room for.
  [[nodiscard]] std::uint32_t beyond_capacity() const;

 private:
  enum Mark { begun, preprocessed, inferred, suppressed, drawn };
  static constexpr std::size_t kMarks = 5;

  void enqueue();
  void mark(Mark which);
  void fill_times(FrameTimes& times, Clock::time_point launched, Clock::time_point seen) const;

  FrameGraphSetup setup_;
  cuda::Stream stream_;
  std::unique_ptr<detector::CudaDetection> detection_;
  FaceSelection faces_;
  std::optional<FaceSelection> to_follow_;
  overlay::CudaOverlay overlay_;
  DescriptorUpload descriptor_;
  std::array<cuda::Event, kMarks> marks_;
  cuda::Event done_;
  std::unique_ptr<cuda::GraphExec> graph_;
};

}  // namespace facepipe::pipeline
