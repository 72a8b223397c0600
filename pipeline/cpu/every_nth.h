// Lets the detector search only every n-th frame of a job (SearchOptions::every), and finds the
// faces of the other frames from the searched frames.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "nms/cpu/class_suppressor.h"
#include "pipeline/faces.h"
#include "pipeline/frame_processor.h"
#include "pipeline/job_options.h"
#include "track/between.h"
#include "track/cpu/motion.h"

namespace facepipe::pipeline {

/// Chooses the frames that are searched. Used by one thread.
class EveryNth {
 public:
  explicit EveryNth(int every) : every_(every) {}

  /// Sets WorkItem::picture and FrameRecord::searched. Call it for each frame, in order. It chooses
  /// * the first frame,
  /// * the n-th frame after the last searched frame,
  /// * a frame that may be the first of a new scene, and
  /// * a damaged frame, because faces can't be followed into it.
  void choose(WorkItem& item);

 private:
  const int every_;
  track::CpuMotionEstimator motion_;
  std::shared_ptr<const track::MotionPicture> last_;
  int since_ = 0;  ///< number of frames since the last searched frame
};

/// Fills in the faces of frames that were not searched. These frames wait for the next searched
/// frame; fewer than n frames wait at the same time. Used by one thread.
class FramesBetween {
 public:
  /// @param options  must outlive this object
  explicit FramesBetween(const JobOptions& options);

  /// Takes the next frame. WorkItem::picture must be set. If the frame was searched, its faces and
  /// WorkItem::to_follow must also be set. A searched frame goes to `sink` at once, after the
  /// frames that waited for it.
  /// @param tracks  the track of each detection in `to_follow`; empty if no ids are wanted
  void push(WorkItem item, std::vector<std::int64_t> tracks, const FrameProcessor::Sink& sink);
  /// At the stream's end, gives `sink` the frames that still wait.
  void flush(const FrameProcessor::Sink& sink);

 private:
  /// A searched frame, and the tracks of its detections.
  struct Searched {
    track::SearchedFrame frame;
    std::vector<std::int64_t> tracks;
  };

  void fill(const Searched* after, const FrameProcessor::Sink& sink);
  void fill_in(const Searched* after);
  [[nodiscard]] float least_score(std::uint16_t its_class) const;
  void take(const track::FacesBetween& all, const Searched* after, FrameRecord& record);
  [[nodiscard]] std::int64_t track_of(const track::FacesBetween& all, std::size_t i,
                                      const Searched* after) const;

  const SearchOptions& search_;
  const FaceSizes sizes_;
  const bool wants_tracks_;
  nms::ClassSuppressor suppressor_;
  track::CpuMotionEstimator motion_;
  std::optional<Searched> before_;
  std::deque<WorkItem> waiting_;
};

}  // namespace facepipe::pipeline
