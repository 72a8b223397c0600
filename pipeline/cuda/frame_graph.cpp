#include "pipeline/cuda/frame_graph.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "core/color.h"

namespace facepipe::pipeline {
namespace {

cuda::Event timing_event() { return cuda::Event(cuda::Event::Timing::on); }

Clock::duration milliseconds(float time) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<float, std::milli>(time));
}

/// Makes the setup for the drawn faces. If there is one class, the detector's candidates all score
/// more than the lower of the two scores of FollowScores, so only the higher score needs a filter.
FaceSelectionSetup faces_of(const FrameGraphSetup& setup) {
  FaceSelectionSetup faces{setup.classes.face_scores, setup.nms, setup.classes.overlaps,
                           setup.sizes, setup.to_host};
  const bool one_class = setup.classes.overlaps.empty();
  if (one_class && setup.follow && setup.follow->face > setup.follow->followed)
    faces.over = {setup.follow->face};
  return faces;
}

FaceSelectionSetup followed_of(const FrameGraphSetup& setup) {
  FaceSelectionSetup followed{setup.classes.followed_scores, setup.follow->nms,
                              setup.classes.followed_overlaps, setup.sizes, FaceDownload::places};
  const bool one_class = setup.classes.overlaps.empty();
  if (one_class && setup.follow->followed > setup.follow->face)
    followed.over = {setup.follow->followed};
  return followed;
}

overlay::CudaOverlaySetup overlay_of(const FrameGraphSetup& setup, std::uint32_t faces) {
  overlay::CudaOverlaySetup overlay = setup.overlay;
  overlay.capacity = faces;
  return overlay;
}

}  // namespace

FrameGraph::FrameGraph(const FrameGraphSetup& setup)
    : setup_(setup),
      detection_(setup.detector->make_detection()),
      faces_(faces_of(setup), detection_->candidates()),
      overlay_(overlay_of(setup, most_faces())),
      marks_{timing_event(), timing_event(), timing_event(), timing_event(), timing_event()},
      done_(cuda::Event::Timing::off, setup.wait) {
  if (setup.follow) to_follow_.emplace(followed_of(setup), detection_->candidates());
  for (int phase = 0; phase < setup.detector->phases(); ++phase) {
    detection_->set_phase(phase);
    graphs_.emplace_back(cuda::capture(stream_, [this] { enqueue(); }));
  }
}

void FrameGraph::enqueue() {
  descriptor_.enqueue(stream_);
  mark(begun);
  detection_->enqueue_preprocess(descriptor_.device(), stream_);
  mark(preprocessed);
  detection_->enqueue_inference(descriptor_.device(), stream_);
  mark(inferred);
  faces_.enqueue(stream_);
  if (to_follow_) to_follow_->enqueue(stream_);
  mark(suppressed);
  overlay_.enqueue(descriptor_.device(), faces_.faces(), stream_);
  mark(drawn);
  faces_.enqueue_download(stream_);
  if (to_follow_) to_follow_->enqueue_download(stream_);
}

void FrameGraph::mark(Mark which) {
  if (setup_.times_stages) marks_[which].record_in_graph(stream_);
}

void FrameGraph::launch(const Frame& frame, CopyCounter& copies) {
  FrameDescriptor& descriptor = descriptor_.host();
  describe_picture(frame, descriptor);
  fill_to_rgb(descriptor, frame.color, frame.format, frame.size);
  video::hold_back_until_ready(frame, stream_);
  graphs_[static_cast<std::size_t>(frame.index) % graphs_.size()].launch(stream_);
  done_.record(stream_);
  DescriptorUpload::count(copies);
}

void FrameGraph::wait() { done_.synchronize(); }

void FrameGraph::fill(FrameRecord& record, Clock::time_point launched, Clock::time_point seen,
                      CopyCounter& copies) {
  fill_times(record.times, launched, seen);
  record.candidates = faces_.counts().candidates;
  record.face_count = faces_.counts().faces;
  record.faces = faces_.collect(stream_, copies);
}

// Each of the two selections also counts those candidates for which the detector had no room.
std::uint32_t FrameGraph::beyond_capacity() const {
  const std::uint32_t of_faces = faces_.counts().beyond_capacity;
  return to_follow_ ? std::max(of_faces, to_follow_->counts().beyond_capacity) : of_faces;
}

// The device's clock and the host's clock have no common zero. So this function assumes that the
// device's last event happened at the time when the host saw the end of the work.
void FrameGraph::fill_times(FrameTimes& times, Clock::time_point launched,
                            Clock::time_point seen) const {
  if (!setup_.times_stages) {
    times[StageId::inference] = {launched, seen};
    return;
  }
  const auto between = [this](Mark from, Mark to) {
    return milliseconds(cuda::milliseconds_between(marks_[from], marks_[to]));
  };
  const auto at = [&](Mark which) { return seen - between(which, drawn); };
  times[StageId::preprocess] = {at(begun), at(preprocessed)};
  times[StageId::inference] = {at(preprocessed), at(inferred)};
  times[StageId::nms] = {at(inferred), at(suppressed)};
  if (setup_.overlay.style.any()) times[StageId::overlay] = {at(suppressed), seen};
}

}  // namespace facepipe::pipeline
