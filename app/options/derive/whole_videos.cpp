#include "app/options/derive/whole_videos.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/options/derive/common.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/machine.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

/// Copies the options that several of the library's structs need.
void copy_shared(const Asked& asked, RunOptions& run) {
  run.console = asked.console;
  run.sandbox = asked.sandbox;
  run.detector = detector_of(asked);
  run.detector.mirrored_too = asked.hiding.careful;
  run.left_to_card.iou = !asked.iou;
  run.left_to_card.grow = !asked.hiding.grow;
  if (asked.iou) run.job.search.nms.threshold = *asked.iou;
  run.detector.every_window = run.job.search.nms.rule == nms::NmsRule::groups;
  if (run.job.resources.frames_in_flight > 0)  // a detector can't hold more frames than there are
    run.detector.requests = std::min(run.detector.requests, run.job.resources.frames_in_flight);
  run.job.search.min_face = asked.detector.min_face;
  run.job.search.max_face = asked.detector.max_face;
  run.job.resources.threads = asked.detector.threads;
  // Libraries know the processors that the affinity allows, but not all know the group's quota.
  if (run.job.resources.threads == 0 && has_fewer_processors())
    run.job.resources.threads = usable_processors();
  run.job.input.max_pixels = asked.max_pixels;
  run.job.input.allow_references = asked.allow_references;
  if (run.job.search.max_face > 0 && run.job.search.max_face < run.job.search.min_face)
    clash("--max-face must not be less than --min-face");
}

void check_spans(const RunOptions& run) {
  if (run.devices && !run.device.automatic) clash("--device and --devices exclude each other");
  if (run.job.input.end_s && *run.job.input.end_s <= run.job.input.start_s.value_or(0))
    clash("--end must be later than --start");
}

/// Refuses what parts can't have: their frames don't know the frames before them, and each part is
/// cut out of the whole input.
void check_parts(const RunOptions& run) {
  if (run.parts == 0) return;
  const auto excludes = [](const std::string& option) {
    clash("--parts and " + option + " exclude each other");
  };
  if (run.job.overlay.ids) excludes("--draw ids");
  if (run.job.search.every > 1) excludes("--every");
  if (run.two_pass) excludes("--two-pass");  // it decides about the whole video at once
  if (run.job.input.start_s) excludes("--start");
  if (run.job.input.end_s) excludes("--end");
  if (run.job.hide && run.job.resources.lanes > 1) excludes("--lanes");
  if (run.devices) excludes("--devices");
  if (run.job.input.allow_references) excludes("--allow-references");
  if (run.output == kStandardOutput) excludes("--output -");
  if (std::ranges::count(run.inputs, std::string(video::kStandardInput)) > 0)
    clash("--parts needs files as its inputs, because parts of them are read several times");
}

/// Faces that get a score of more than `score` take part in suppression. The library checks the
/// options, and its words follow the option that is meant.
void derive_suppression(const Asked& asked, float score, RunOptions& run) {
  nms::NmsOptions& nms = run.job.search.nms;
  nms.soft.min_score = asked.nms_min_score.value_or(soft_min_score_for(score));
  try {
    nms::check_nms_options(nms, nms::nms_capacity(nms));
  } catch (const Error& refused) {
    clash(std::string("--nms-rule ") + std::string(name_of(nms.rule)) + ": " + refused.what());
  }
}

/// Sets the scores that detections must exceed. To follow faces from frame to frame, weaker
/// detections are needed than those that users call faces.
void derive_score(const Asked& asked, RunOptions& run) {
  if (run.job.hide) {
    run.detector.score_threshold = detector::kOnlyWeakOnes;
    run.detector.weak_score = run.job.hide->tracks.suggest_score;
    return;
  }
  run.left_to_card.score = !asked.score;
  run.left_to_card.soft_min_score = !asked.score && !asked.nms_min_score;
  const float score = score_of(asked);
  run.detector.score_threshold = score;
  if (!asked.score) run.detector.card_score = detector::CardScore::taken;
  if (run.job.search.every > 1) run.detector.weak_score = pipeline::kWeakFace;
  if (run.job.overlay.ids) run.detector.weak_score = run.job.follow.emplace().suggest_score;
  if (run.detector.weak_score) run.job.search.face_score = score;
}

}  // namespace

void derive_streams(const Asked& asked, RunOptions& run) {
  run.inputs = all_inputs(asked);
  name_standard_input(run.inputs);
  run.output = asked.outputs.path == "-" ? kStandardOutput : asked.outputs.path;
  if (run.files.detections == "-") run.files.detections = kStandardOutput;
  if (run.output == kStandardOutput && run.job.output.format.empty())
    run.job.output.format = "matroska";
  std::vector<std::string> printed;
  if (run.output == kStandardOutput) printed.emplace_back("--output -");
  if (run.files.detections == kStandardOutput) printed.emplace_back("--detections -");
  if (asked.console.progress == ProgressStyle::json) printed.emplace_back("--progress json");
  if (printed.size() > 1)
    clash(printed[0] + " and " + printed[1] + " exclude each other: both go to standard output");
}

void derive_existing(const Asked& asked, RunOptions& run) {
  const AskedOutputs& outputs = asked.outputs;
  if (outputs.overwrite && outputs.skip_existing)
    clash("--overwrite and --skip-existing exclude each other");
  if (outputs.overwrite) run.existing = ExistingOutput::overwrite;
  if (outputs.skip_existing) run.existing = ExistingOutput::skip;
  if (run.video) return;
  if (!run.output.empty()) clash("--no-video and --output exclude each other");
  if (outputs.skip_existing && run.files.detections.empty() && run.files.latency.empty())
    clash("--skip-existing without a video needs --detections or --latency, to know what is done");
}

void check_task(const RunOptions& run) {
  if (!run.task.wanted) return;
  for (const bool video : {true, false})
    if ((video ? std::filesystem::path(run.output) : run.files.detections) == kStandardOutput)
      clash("--task and " + std::string(video ? "--output" : "--detections") +
            " - exclude each other: what is written to a pipe can't be taken back");
  if (run.inputs.size() > 1 && run.existing != ExistingOutput::skip)
    clash(
        "--task: several inputs need --skip-existing, so that another attempt leaves out what is "
        "done");
}

RunOptions derive_run(const Asked& asked, RunOptions run) {
  derive_streams(asked, run);
  derive_existing(asked, run);
  check_task(run);
  check_spans(run);
  copy_shared(asked, run);
  derive_suppression(asked, run.job.hide ? run.job.hide->tracks.suggest_score : score_of(asked),
                     run);
  derive_score(asked, run);
  check_parts(run);
  // If tracks of faces are drawn, they are the tracks that detect would find.
  run.files.face_fields = {.track = run.job.hide.has_value() || run.job.follow.has_value(),
                           .tracked = run.job.search.every > 1};
  return run;
}

RunOptions derive_drawing(const Asked& asked) {
  RunOptions run = asked.run;
  run.video = !asked.outputs.no_video;
  return derive_run(asked, std::move(run));
}

}  // namespace facepipe::app
