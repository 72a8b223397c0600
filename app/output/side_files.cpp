#include "app/output/side_files.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/output/existing_target.h"
#include "app/run/named_files.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> named(const SideFiles& files) {
  std::vector<fs::path> paths;
  for (const fs::path& path :
       {files.detections, files.latency, files.report, files.tracks, files.page})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

void refuse_taken(const fs::path& path, const std::set<NamedFile>& taken) {
  for (const fs::path& other : names_of_a_run(path))
    if (taken.contains(identity(other)))
      throw Error(ErrorKind::usage,
                  other.string() + ": is named twice, or is also an input or an output");
}

}  // namespace

void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned) {
  std::set<NamedFile> taken;
  if (!files.known_tracks.empty()) {
    taken.insert(identity(files.known_tracks));
    for (const PlannedInput& job : planned)
      if (!job.output.empty()) refuse_taken(job.output, taken);
  }
  for (const PlannedInput& job : planned) {
    for (const fs::path& path : input_paths(job.input)) taken.insert(identity(path));
    if (!job.output.empty()) taken.insert(identity(job.output));
  }
  for (const fs::path& path : named(files)) {
    if (is_stream_target(path)) continue;
    refuse_taken(path, taken);
    taken.insert(identity(path));
  }
}

void check_existing_files(const SideFiles& files, ExistingOutput existing) {
  for (const fs::path& path : named(files)) static_cast<void>(checked_target(path, existing));
}

SideOutputs::SideOutputs(const SideFiles& files, ExistingOutput existing,
                         const std::stop_token& stop) {
  check_existing_files(files, existing);
  if (!files.detections.empty())
    frame_files_.emplace_back(
        files.detections, detections_format(files.detections, files.face_fields), existing, stop);
  if (!files.latency.empty())
    frame_files_.emplace_back(files.latency, latency_format(), existing, stop);
  if (!files.report.empty()) report_.emplace(files.report, existing, stop);
  if (!files.tracks.empty()) tracks_.emplace(files.tracks, at_the_end(existing), stop);
}

SideOutputs::Spool::Spool(SideOutputs& files)
    : files_(&files), lines_(files.frame_files_.size(), LineSpool(files.spooled_)) {}

void SideOutputs::Spool::write(const NamedFrame& frame) {
  for (std::size_t i = 0; i < lines_.size(); ++i) files_->frame_files_[i].spool(lines_[i], frame);
}

void SideOutputs::Spool::put_away() {
  for (LineSpool& lines : lines_) lines.put_away();
}

void SideOutputs::write(const Spool& frames) {
  for (std::size_t i = 0; i < frame_files_.size(); ++i) frame_files_[i].write_all(frames.lines_[i]);
}

void SideOutputs::add_entry(const std::string& name, const std::string& entry) {
  if (report_) report_->add(name, entry);
}

bool SideOutputs::has_frames(const std::string& name) const {
  return std::ranges::all_of(frame_files_, [&](const FrameFile& file) {
    return file.has(name) || (file.needs_faces() && reported(name, reports_no_faces));
  });
}

bool SideOutputs::reported_damaged(const std::string& name) const {
  return reported(name, reports_damage);
}

bool SideOutputs::reported(const std::string& name, bool (*tells)(const std::string& entry)) const {
  if (!report_) return false;
  const auto found = report_->earlier().find(name);
  return found != report_->earlier().end() && tells(found->second);
}

void SideOutputs::drop(const std::string& name) {
  if (report_) report_->drop(name);
  for (FrameFile& file : frame_files_) file.drop(name);
}

bool SideOutputs::frames_change_nothing() const {
  return std::ranges::all_of(frame_files_, &FrameFile::changes_nothing);
}

bool SideOutputs::has_finished_report() const { return report_ && report_->is_finished(); }

std::vector<Failure> SideOutputs::commit_frames(bool partial) {
  std::vector<Failure> failures;
  for (FrameFile& file : frame_files_) {
    if (auto failure = attempt({}, [&] { file.commit(partial); }))
      failures.push_back(std::move(*failure));
    else if (!file.committed().empty())
      committed_.push_back(file.committed());
  }
  return failures;
}

void SideOutputs::commit_report(const ReportText& report) {
  if (!report_) return;
  report_->commit(report);
  committed_.push_back(report_->path());
}

void SideOutputs::commit_tracks(const track::TrackFile& tracks) {
  if (!tracks_) return;
  track::write_track_file(tracks, *tracks_);
  committed_.push_back(tracks_->target());
}

std::optional<Failure> SideOutputs::failure() const {
  for (const FrameFile& file : frame_files_)
    if (file.failure()) return file.failure();
  return std::nullopt;
}

bool SideOutputs::all_given_up() const {
  return std::ranges::all_of(frame_files_,
                             [](const FrameFile& file) { return file.failure().has_value(); });
}

}  // namespace facepipe::app
