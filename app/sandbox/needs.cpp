#include "app/sandbox/needs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>

#include "app/failure.h"
#include "app/model_path.h"
#include "app/review/log_chain.h"
#include "app/run/media_files.h"
#include "app/run/named_files.h"
#include "app/run/plan_inputs.h"
#include "core/device.h"
#include "core/files/output_file.h"
#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/i8_ranges.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

void add_read(SandboxNeeds& to, const fs::path& file) {
  if (!file.empty()) to.paths.push_back({file, FileAccess::read});
}

void add_input_file(SandboxNeeds& to, const fs::path& file) {
  add_read(to, file);
  to.inputs.push_back(file);
}

void add_written_folder(SandboxNeeds& to, const fs::path& folder) {
  to.paths.push_back({folder, FileAccess::write});
}

/// Adds the place of a file that is written: the stream itself, or else its folder, because the
/// file first has another name, and a lock stands beside it.
void add_written(SandboxNeeds& to, const fs::path& file) {
  if (file.empty() || file == "-") return;
  if (is_stream_target(file))
    to.paths.push_back({file, FileAccess::write});
  else
    add_written_folder(to, folder_of(file));
}

void add_temporary_folder(SandboxNeeds& to) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (!error) add_written_folder(to, folder);
}

/// Adds the files in a folder that are links to files elsewhere.
void add_links_in(SandboxNeeds& to, const fs::path& folder) {
  MediaFiles found;
  if (attempt({}, [&] { found = media_files(folder); })) return;  // the command says what is wrong
  std::error_code error;
  for (const fs::path& file : found.files)
    if (fs::is_symlink(file, error)) add_input_file(to, file);
}

void add_input(SandboxNeeds& to, const std::string& input) {
  for (const fs::path& path : input_paths(input)) add_input_file(to, path);
  if (video::may_need_network(input)) to.network = Network::allowed;
  if (video::is_url(input)) {
    // FFmpeg's protocol "cache" keeps what it has read in a temporary file.
    if (input.find("cache:") != std::string::npos) add_temporary_folder(to);
    return;
  }
  std::error_code error;
  if (fs::is_directory(input, error)) add_links_in(to, input);
}

void add_references(SandboxNeeds& to, bool allowed) {
  if (!allowed) return;
  add_read(to, "/");
  to.network = Network::allowed;
}

void add_model(SandboxNeeds& to, const fs::path& named) {
  fs::path file;
  if (attempt({}, [&] { file = find_model(named, program_directory()); })) return;
  add_read(to, file);
  add_read(to, detector::card_file(file));
  add_read(to, detector::i8_ranges_file(file));
}

void add_models(SandboxNeeds& to, const detector::DetectorOptions& options) {
  add_model(to, options.model);
  for (const fs::path& more : options.more_models) add_model(to, more);
  add_read(to, options.card);
}

/// Adds an edit file that is read, and the log of the review that has written it.
void add_edits(SandboxNeeds& to, const fs::path& edits) {
  if (edits.empty()) return;
  add_read(to, edits);
  add_read(to, log_of(edits));
}

/// Adds the folder into which the output of an input is written if the user names no output.
void add_folder_beside(SandboxNeeds& to, const std::string& input) {
  std::error_code error;
  if (video::is_url(input) || input == video::kStandardInput)
    add_written_folder(to, ".");
  else
    add_written_folder(to, fs::is_directory(input, error) ? fs::path(input) : folder_of(input));
}

void add_video(SandboxNeeds& to, const RunOptions& options) {
  if (!options.video) return;
  if (options.output.empty())
    for (const std::string& input : options.inputs) add_folder_beside(to, input);
  else if (names_directory(options.output))
    to.made.emplace_back(options.output);
  else
    add_written(to, options.output);
}

void add_side_files(SandboxNeeds& to, const SideFiles& files) {
  for (const fs::path& file :
       {files.detections, files.latency, files.report, files.tracks, files.page})
    add_written(to, file);
}

void add_parts(SandboxNeeds& to, const RunOptions& options) {
  if (options.job.part) to.made.push_back(folder_of(options.job.part->file));
  if (options.job.join)
    for (const pipeline::JoinedPart& part : options.job.join->parts) add_read(to, part.file);
  for (const pipeline::PartJob& scene : options.long_scenes) add_written(to, scene.file);
  // Without a video, the parts lie in a temporary folder.
  if (options.parts > 0 && !options.video) add_temporary_folder(to);
}

/// Returns whether lines about several inputs may have to wait for each other.
bool may_spool(const RunOptions& options) {
  if (options.files.detections.empty() && options.files.latency.empty()) return false;
  std::error_code error;
  return options.inputs.size() > 1 ||
         (!options.inputs.empty() && fs::is_directory(options.inputs.front(), error));
}

bool may_use_cuda(const RunOptions& options) {
  return options.devices || options.device.automatic ||
         options.device.device.kind == DeviceKind::cuda;
}

}  // namespace

SandboxNeeds needs_of(const RunOptions& options, Doing doing) {
  SandboxNeeds needs;
  for (const std::string& input : options.inputs) add_input(needs, input);
  add_references(needs, options.job.input.allow_references);
  add_models(needs, options.detector);
  add_edits(needs, options.files.known_tracks);
  needs.cuda = may_use_cuda(options);
  if (doing == Doing::plan) return needs;
  add_video(needs, options);
  add_side_files(needs, options.files);
  add_parts(needs, options);
  needs.spool = may_spool(options);
  return needs;
}

SandboxNeeds needs_of(const SplitOptions& options) {
  SandboxNeeds needs = needs_of(options.run, Doing::plan);
  add_written(needs, options.plan);
  needs.cuda = false;
  return needs;
}

SandboxNeeds needs_of(const ReviewOptions& options) {
  SandboxNeeds needs = needs_of(options.detect);
  SandboxNeeds rendering = needs_of(options.hide);
  std::ranges::move(rendering.paths, std::back_inserter(needs.paths));
  std::ranges::move(rendering.made, std::back_inserter(needs.made));
  add_models(needs, options.verify.detector);
  add_read(needs, options.tracks);
  add_written(needs, options.edits);
  add_written(needs, options.page);
  return needs;
}

SandboxNeeds needs_of(const VerifyOptions& options) {
  SandboxNeeds needs;
  for (const std::string& video : {options.original, options.hidden}) add_input(needs, video);
  add_references(needs, options.references == video::References::open);
  add_models(needs, options.detector);
  add_edits(needs, options.tracks);
  for (const fs::path& file : {options.report, options.page}) add_written(needs, file);
  if (!options.thumbnails.empty()) add_written_folder(needs, folder_of(options.thumbnails));
  return needs;
}

SandboxNeeds needs_of(const CalibrateOptions& options) {
  SandboxNeeds needs;
  for (const std::string& picture : options.pictures) add_input(needs, picture);
  add_model(needs, options.model);
  add_read(needs, options.card);
  if (!options.output.empty())
    add_written(needs, options.output);
  else if (fs::path model;
           !attempt({}, [&] { model = find_model(options.model, program_directory()); }))
    add_written(needs, detector::i8_ranges_file(model));
  return needs;
}

SandboxNeeds needs_of(const ModelCheckOptions& options) {
  SandboxNeeds needs;
  add_models(needs, options.detector);
  add_read(needs, options.images);
  if (!options.picture.empty()) {
    add_input(needs, options.picture);
    add_written(needs, options.output.empty() ? options.picture : options.output);
  }
  add_written(needs, options.draft);
  needs.cuda = true;
  return needs;
}

}  // namespace facepipe::app
