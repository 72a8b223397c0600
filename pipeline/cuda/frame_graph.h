// Declares FrameGraph, captured graphs of all work on one frame on the device: they find candidates
// in the frame's surface, select faces, and draw them on the same surface.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

/// Says which detections a job follows. The detector returns all candidates that score more than
/// the lower of the two scores.
struct FollowScores {
  float followed = 0;     ///< candidates that score more are followed
  float face = 0;         ///< candidates that score more are faces
  nms::NmsOptions nms{};  ///< for those that are followed
  friend bool operator==(const FollowScores&, const FollowScores&) = default;
};

/// Says how candidates are selected if the detector finds several classes. Each vector that isn't
/// empty has a value for each class. All are empty if the detector finds one class.
struct ClassRules {
  std::vector<float> overlaps;  ///< replaces FrameGraphSetup::nms's threshold
  /// Candidates that score more are faces. Empty: all candidates are.
  std::vector<float> face_scores;
  std::vector<float> followed_overlaps;  ///< replaces the threshold of FollowScores::nms
  std::vector<float> followed_scores;    ///< replaces FollowScores::followed
  friend bool operator==(const ClassRules&, const ClassRules&) = default;
};

/// The facts from which a FrameGraph is captured. They are the same for all frames of a job. Each
/// of the nine members is a separate fact.
struct FrameGraphSetup {
  std::shared_ptr<const detector::CudaDetector> detector;
  /// If it has no style, nothing is drawn. Its capacity isn't used.
  overlay::CudaOverlaySetup overlay;
  nms::NmsOptions nms;
  ClassRules classes;
  FaceSizes sizes;
  FaceDownload to_host = FaceDownload::none;
  std::optional<FollowScores> follow;  ///< set if faces are followed
  bool times_stages = false;  ///< the graph records events between the stages; this costs some time
  cuda::Event::Wait wait = cuda::Event::Wait::spinning;  ///< how FrameGraph::wait() waits
};

/// Works on one frame in flight at a time, with its own stream and memory. It has one graph for
/// each phase of the detector (CudaDetector::phases()); all graphs use the same memory. Allocates
/// nothing after construction. Bound to the device that is current at construction. Used by one
/// thread at a time. Its members are the steps that the graphs are captured from; they must live as
/// long as the graphs.
class FrameGraph {
 public:
  /// Errors: Error(device).
  explicit FrameGraph(const FrameGraphSetup& setup);

  /// Starts the work on a frame after its event Frame::ready, and returns at once. The frame must
  /// live until wait() returns.
  void launch(const Frame& frame, CopyCounter& copies);

  /// Waits until the work on the frame has ended. Errors: Error(device).
  void wait();

  /// Fills in candidates, face_count, faces and times of the last frame. Call it after wait().
  /// @param launched  when launch() was called
  /// @param seen      when wait() returned
  void fill(FrameRecord& record, Clock::time_point launched, Clock::time_point seen,
            CopyCounter& copies);

  /// Returns the last frame's detections that tracks need. Suppression by FollowScores::nms has
  /// selected them, regardless of FrameGraphSetup::nms. Call it after wait(), and only if faces are
  /// followed.
  [[nodiscard]] Detections to_follow(CopyCounter& copies) {
    return to_follow_->collect(stream_, copies);
  }

  /// Returns the number of candidates of the last frame for which suppression, or the detector, had
  /// no room.
  [[nodiscard]] std::uint32_t beyond_capacity() const;

  /// Returns the largest number of faces of a frame.
  [[nodiscard]] std::uint32_t most_faces() const { return faces_.faces().capacity; }

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
  std::vector<cuda::GraphExec> graphs_;  ///< index: phase
};

}  // namespace facepipe::pipeline
