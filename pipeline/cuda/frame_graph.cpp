#include "pipeline/cuda/frame_graph.h"

#include <chrono>

#include "core/color.h"

namespace facepipe {
namespace {

cuda::Event timing_event() { return cuda::Event(cuda::Event::Timing::on); }

Clock::duration milliseconds(float time) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<float, std::milli>(time));
}

}  // namespace

FrameGraph::FrameGraph(const FrameGraphSetup& setup)
    : setup_(setup),
      detection_(setup.detector->make_detection()),
      suppressor_(setup.nms, setup.detector->capacity()),
      kept_(suppressor_.capacity()),
      kept_counts_(2),
      kept_boxes_(moves_boxes(setup.nms) ? suppressor_.capacity() : 0),
      kept_scores_(changes_scores(setup.nms) ? suppressor_.capacity() : 0),
      faces_(suppressor_.capacity(), detection_->candidates().landmarks != nullptr),
      counts_(1),
      overlay_(setup.overlay),
      download_(counts_.data(), faces_.view(), setup.to_host),
      marks_{timing_event(), timing_event(), timing_event(), timing_event(), timing_event()},
      done_(cuda::Event::Timing::off, setup.wait) {
  graph_ = std::make_unique<cuda::GraphExec>(cuda::capture(stream_, [this] { enqueue(); }));
}

void FrameGraph::enqueue() {
  descriptor_.enqueue(stream_);
  mark(begun);
  detection_->enqueue_preprocess(descriptor_.device(), stream_);
  mark(preprocessed);
  detection_->enqueue_inference(descriptor_.device(), stream_);
  mark(inferred);
  suppress();
  mark(suppressed);
  overlay_.enqueue(descriptor_.device(), faces_.view(), stream_);
  mark(drawn);
  download_.enqueue(stream_);
}

void FrameGraph::mark(Mark which) {
  if (setup_.times_stages) marks_[which].record_in_graph(stream_);
}

void FrameGraph::suppress() {
  const cuda::DeviceDetections candidates = detection_->candidates();
  DeviceKept kept;
  kept.indices = kept_.data();
  kept.count = kept_counts_.data();
  kept.beyond_capacity = kept_counts_.data() + 1;
  if (moves_boxes(setup_.nms)) kept.boxes = kept_boxes_.data();
  if (changes_scores(setup_.nms)) kept.scores = kept_scores_.data();
  suppressor_.enqueue({candidates.boxes, candidates.scores, candidates.count}, kept, stream_);
  enqueue_faces(candidates, kept, setup_.sizes, faces_.view(), counts_.data(), stream_);
}

void FrameGraph::launch(const Frame& frame, CopyCounter& copies) {
  FrameDescriptor& descriptor = descriptor_.host();
  describe_picture(frame, descriptor);
  fill_to_rgb(descriptor, frame.color, frame.format, frame.size);
  hold_back_until_ready(frame, stream_);
  graph_->launch(stream_);
  done_.record(stream_);
  DescriptorUpload::count(copies);
}

void FrameGraph::wait() { done_.synchronize(); }

void FrameGraph::fill(FrameRecord& record, Clock::time_point launched, Clock::time_point seen,
                      CopyCounter& copies) {
  fill_times(record.times, launched, seen);
  record.candidates = counts().candidates;
  record.face_count = counts().faces;
  record.faces = download_.collect(stream_, copies);
}

// The device's clock has no fixed place on the host's: its last event is taken for the moment at
// which the host saw the end.
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

}  // namespace facepipe
