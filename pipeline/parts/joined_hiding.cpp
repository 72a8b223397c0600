#include "pipeline/parts/joined_hiding.h"

#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "pipeline/hide/hidden_frames.h"

namespace facepipe::pipeline {
namespace {

void add_counts(TrackCounts& to, const TrackCounts& more) {
  to.hidden += more.hidden;
  to.kept += more.kept;
  to.suggested += more.suggested;
  to.likely += more.likely;
  for (const TimeSpans::Span& span : more.likely_at.spans()) to.likely_at.add(span);
}

}  // namespace

JoinedHiding::JoinedHiding(const JobOptions& options, const Frame& first, std::int64_t origin_us)
    : options_(options),
      job_(*options.hide),
      regions_(job_.regions, first.upright(), first.time_base, origin_us),
      region_use_(job_.regions, regions_) {
  input_.size = first.upright();
  input_.time_base = first.time_base;
  if (job_.known) track_use_.emplace(*job_.known, true);
}

void JoinedHiding::see(std::int64_t pts) {
  ++frames_;
  region_use_.see(pts);
  if (track_use_) track_use_->see(pts, track::hidden_at(job_.known->file, pts));
}

void JoinedHiding::fill(const std::vector<PartFacts>& parts, JobResult& result) const {
  result.turned_faces = parts.front().maker.turned_faces;
  TrackCounts& counts = result.track_counts.emplace();
  if (job_.known) {  // each part counts the tracks of the whole file
    counts = parts.front().hidden.value().counts;
    return;
  }
  for (const PartFacts& part : parts) add_counts(counts, part.hidden.value().counts);
  if (!job_.wants_tracks) return;
  track::TrackFileBuilder builder = make_builder(job_, options_.search.scales, input_);
  std::int64_t before = 0;
  for (const PartFacts& part : parts) {
    builder.add(part.hidden->tracks, before);
    before += part.hidden->tracks_begun;
  }
  result.tracks = std::make_shared<track::TrackFile>(builder.finish());
}

void JoinedHiding::check(video::Notices& notices) const {
  if (job_.known && frames_ > job_.known->file.input.frames)
    throw Error(ErrorKind::input,
                job_.known->name + ": knows only " + std::to_string(job_.known->file.input.frames) +
                    " of " + std::to_string(frames_) + " frames; hide the video as a whole");
  std::vector<InstructionUse> uses{region_use_.sum()};
  if (track_use_) uses.push_back(track_use_->sum());
  warn_of_unused(uses, options_.input.name, options_.output.strict, notices);
}

}  // namespace facepipe::pipeline
