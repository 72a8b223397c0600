// Searches every n-th frame of a job alone, and follows faces through those between.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "nms/cpu/suppressor.h"
#include "pipeline/faces.h"
#include "pipeline/frame_processor.h"
#include "pipeline/job_options.h"
#include "track/between.h"
#include "track/cpu/motion.h"

namespace facepipe::pipeline {

/// Which frames are searched. Used by one thread.
class EveryNth {
 public:
  explicit EveryNth(int every) : every_(every) {}

  /// Fills in the frame's picture, and whether it is searched: the first one; what follows one that
  /// was searched by n frames; what may be the first of a new scene; and damaged ones, because
  /// faces can't be followed there.
  void choose(WorkItem& item);

 private:
  const int every_;
  track::CpuMotionEstimator motion_;
  std::shared_ptr<const track::MotionPicture> last_;
  int since_ = 0;  ///< the last one that was searched
};

/// Fills in the faces of frames that were not searched. They wait for the next one that is: fewer
/// than n at once. Used by one thread.
class FramesBetween {
 public:
  explicit FramesBetween(const JobOptions& options);

  /// A frame whose picture is there, and where it was searched its faces, and in to_follow those of
  /// weaker scores with them.
  /// @param tracks  of each of to_follow; empty where ids aren't wanted
  void push(WorkItem item, std::vector<std::int64_t> tracks, const FrameProcessor::Sink& sink);
  /// The rest, at the stream's end.
  void flush(const FrameProcessor::Sink& sink);

 private:
  /// A frame that was searched, and who has taken its detections.
  struct Searched {
    track::SearchedFrame frame;
    std::vector<std::int64_t> tracks;
  };

  void fill(const Searched* after, const FrameProcessor::Sink& sink);
  void fill_in(const Searched* after);
  void take(const track::FacesBetween& all, const Searched* after, FrameRecord& record);
  [[nodiscard]] std::int64_t track_of(const track::FacesBetween& all, std::size_t i,
                                      const Searched* after) const;

  const float score_;
  const FaceSizes sizes_;
  const bool wants_tracks_;
  nms::CpuSuppressor suppressor_;
  track::CpuMotionEstimator motion_;
  std::optional<Searched> before_;
  std::deque<WorkItem> waiting_;
};

}  // namespace facepipe::pipeline
