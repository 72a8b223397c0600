#include "app/output/html/run_series.h"

#include <algorithm>
#include <cstddef>

namespace facepipe::app {
namespace {

// A score of 1 counts in the last bar below 1, because the axis ends there.
constexpr float kBelowOne = 0.999F;

/// Returns when the last stage ended its work on the frame.
Clock::time_point end_of(const FrameTimes& times) {
  Clock::time_point end{};
  for (const Interval& stage : times.stages) end = std::max(end, stage.end);
  return end;
}

}  // namespace

void RunSeries::add(const FrameRecord& frame) {
  finished_.add(in_seconds(end_of(frame.times) - start_), 1);
  const double latency = frame.times.latency_ms();
  latency_.add(frame.pts_s, latency);
  latencies_.add(latency);
  latency_ms_.add(latency);
  faces_.add(frame.pts_s, static_cast<double>(frame.face_count));
  if (frame.damaged) damaged_.add(frame.pts_s);
  add_faces(frame);
}

void RunSeries::add_faces(const FrameRecord& frame) {
  const Detections& faces = frame.faces;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Box& box = faces.boxes[i];
    sizes_.add(std::min(box.width(), box.height()));
    scores_.add(std::min(faces.scores[i], kBelowOne), 1);
    if (i < frame.face_tracks.size() && frame.face_tracks[i] != kNoTrack)
      tracks_.add(frame.face_tracks[i], frame.pts_s, faces.scores[i]);
  }
}

}  // namespace facepipe::app
