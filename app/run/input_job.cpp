#include "app/run/input_job.h"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "app/output/existing_target.h"
#include "app/parts/run_in_parts.h"
#include "app/run/card_defaults.h"
#include "app/run/file_hashes.h"
#include "app/run/known_tracks.h"
#include "app/run/turned_faces.h"
#include "app/run/two_passes.h"
#include "core/error.h"
#include "core/files/file_identity.h"
#include "core/files/sha256.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Makes the folder of an output in --output DIR/. For --output FILE, the folder must exist.
void make_folder(const fs::path& output, const RunOptions& options) {
  if (output.empty() || options.output.empty() || output == fs::path(options.output)) return;
  std::error_code error;
  fs::create_directories(output.parent_path(), error);
  if (error)
    throw Error(ErrorKind::output,
                output.parent_path().string() + ": can't be made: " + error.message());
}

}  // namespace

pipeline::JobOptions job_options(const RunOptions& options, const InputOutcome& outcome) {
  const PlannedInput& planned = outcome.planned;
  pipeline::JobOptions job = options.job;
  job.input.name = planned.input;
  // The job of a part has a path that only says how the joined video is called.
  if (!outcome.keeps_video && !options.job.part) job.output.path = planned.output;
  job.output.existing = at_the_end(options.existing);
  const bool of_part = options.job.part.has_value();
  job.wants_faces = of_part || !options.files.detections.empty() || !options.files.page.empty();
  job.wants_stage_times = of_part || !options.files.latency.empty() || options.files.any_report();
  return job;
}

JobPreparation prepare_job(pipeline::JobOptions& job, RunDevice& device,
                           const RunContext& context) {
  const RunOptions& options = context.options;
  const bool writes_tracks = !options.files.tracks.empty();
  const bool reads_tracks = !options.files.known_tracks.empty();
  if (options.two_pass || writes_tracks || reads_tracks)
    job.input.same_file = identity_of(job.input.name);
  JobPreparation preparation;
  if (writes_tracks)
    preparation.sha256 = sha256_of_input(job.input.name, "--write-tracks", context.stop);
  if (reads_tracks) {
    const auto known =
        read_known_tracks(options.files.known_tracks, job.input.name,
                          {job.hide->appearance, options.left_to_card.grow}, context.stop,
                          job.part ? InputCheck::none : InputCheck::whole);
    // Parts and the job that joins them are compared by it.
    if (job.part || job.join || options.parts > 0)
      known->sha256 = sha256_of_file(options.files.known_tracks, context.stop);
    job.hide->known = known;
    preparation.sha256 = known->file.input.sha256;
  }
  static_cast<void>(device.ready());
  if (job.hide && job.hide->known) device.take_known_classes(job.hide->known->classes);
  complete_by_card(job, options.left_to_card, device.facts()->about(), device.facts()->classes());
  preparation.turned = look_for_turned_faces(job, *device.facts(), context);
  return preparation;
}

pipeline::JobResult run_input_job(pipeline::JobOptions& job, const pipeline::JobObserver& observer,
                                  RunDevice& device, const RunContext& context,
                                  InputRecord& record) {
  const RunOptions& options = context.options;
  // The hash is computed while the job works, unless preparing the job computes it.
  const bool hashed = !options.files.tracks.empty() || !options.files.known_tracks.empty();
  std::optional<HashInBackground> hash;
  if (options.files.any_report() && !hashed) hash.emplace(job.input.name);
  const JobPreparation preparation = prepare_job(job, device, context);
  pipeline::Backend& backend = device.ready();
  make_folder(job.output.path, options);
  const RunJob run = [&](const pipeline::JobOptions& pass, const pipeline::JobObserver& of_pass) {
    return context.parts.job(pass, backend, of_pass, context.stop);
  };
  const auto run_all = [&] {
    if (options.two_pass) return run_in_two_passes(job, observer, run);
    if (options.parts > 0) return run_in_parts(options, job, observer, run, context.stop);
    if (job.join) return join_with_scenes(options, job, observer, run);
    return run(job, observer);
  };
  pipeline::JobResult result = run_all();
  if (!preparation.turned.empty()) result.notices.push_back(preparation.turned);
  if (result.tracks && !options.files.tracks.empty())
    result.tracks->input.sha256 = preparation.sha256;
  record.input_sha256 = hash ? hash->result(context.stop, result.notices) : preparation.sha256;
  return result;
}

}  // namespace facepipe::app
