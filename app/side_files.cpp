#include "app/side_files.h"

#include <set>

#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> named(const SideFiles& files) {
  std::vector<fs::path> paths;
  for (const fs::path& path : {files.detections, files.latency, files.report})
    if (!path.empty()) paths.push_back(path);
  return paths;
}

void refuse_existing(const fs::path& path) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)))
    throw Error(ErrorKind::output, path.string() + ": exists already (--overwrite replaces it)");
}

}  // namespace

void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned) {
  std::set<FileIdentity> taken;
  for (const PlannedInput& job : planned) {
    taken.insert(identity(job.input));
    if (!job.output.empty()) taken.insert(identity(job.output));
  }
  for (const fs::path& path : named(files))
    if (!taken.insert(identity(path)).second)
      throw Error(ErrorKind::usage,
                  path.string() + ": is named for two things, or is an input or an output");
}

SideOutputs::SideOutputs(const SideFiles& files, bool overwrite) {
  if (!overwrite)
    for (const fs::path& path : named(files)) refuse_existing(path);
  if (!files.detections.empty())
    detections_.emplace(files.detections, detections_format(files.detections));
  if (!files.latency.empty()) latency_.emplace(files.latency, latency_format());
  if (!files.report.empty()) report_.emplace(files.report);
}

void SideOutputs::write(const NamedFrame& frame) {
  if (detections_) detections_->write(frame);
  if (latency_) latency_->write(frame);
}

void SideOutputs::keep() {
  if (detections_) detections_->keep();
  if (latency_) latency_->keep();
}

void SideOutputs::forget() {
  if (detections_) detections_->forget();
  if (latency_) latency_->forget();
}

void SideOutputs::commit_frames(bool partial) {
  for (std::optional<FrameFile>* file : {&detections_, &latency_}) {
    if (!*file) continue;
    (*file)->commit(partial);
    committed_.push_back((*file)->committed());
  }
}

void SideOutputs::commit_report(const std::string& json) {
  if (!report_) return;
  report_->write(json);
  report_->commit();
  committed_.push_back(report_->path());
}

}  // namespace facepipe
