#include "app/options/derive.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/options/completion/completion.h"
#include "app/options/help/help.h"
#include "app/options/help/man_page.h"
#include "app/options/help/options_json.h"
#include "app/parts/part_plan.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/machine.h"
#include "video/read/input_access.h"
#include "video/read/rgba_image.h"

namespace facepipe::app {
namespace {

[[noreturn]] void clash(const std::string& text) { throw Error(ErrorKind::usage, text); }

/// Returns the arguments that are not options. Those after "--" are last.
std::vector<std::string> all_inputs(const Asked& asked) {
  std::vector<std::string> inputs = asked.inputs;
  inputs.insert(inputs.end(), asked.plain_inputs.begin(), asked.plain_inputs.end());
  return inputs;
}

/// Replaces "-" by video::kStandardInput, the name of the file of standard input.
void name_standard_input(std::vector<std::string>& inputs) {
  std::ranges::replace(inputs, std::string("-"), std::string(video::kStandardInput));
}

/// Returns the options of the detectors, with all models that the user named.
detector::DetectorOptions detector_of(const Asked& asked) {
  detector::DetectorOptions detector = asked.detector;
  if (asked.models.empty()) return detector;
  detector.model = asked.models.front();
  detector.more_models.assign(asked.models.begin() + 1, asked.models.end());
  return detector;
}

// --- What run, hide and detect have in common ---

// --careful changes these values:
// * kCarefulGap_s is for how long a face may be missed.
// * kCarefulSure replaces TrackerOptions::sure_score. Boxes of a track that has a detection of this
//   score cover more.
// * kCarefulStart is the score that starts a track. It is higher because two detection passes find
//   more false faces.
// Larger masks, or a longer look-ahead, would cost more of the picture for each additional face
// that they hide.
constexpr double kCarefulGap_s = 1;
constexpr float kCarefulSure = 0.15F;
constexpr float kCarefulStart = 0.155F;

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

/// Replaces "-" by the names of the files of standard input and standard output.
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
  if (run.job.resources.lanes > 1) excludes("--lanes");
  if (run.devices) excludes("--devices");
  if (run.job.input.allow_references) excludes("--allow-references");
  if (run.output == kStandardOutput) excludes("--output -");
  if (std::ranges::count(run.inputs, std::string(video::kStandardInput)) > 0)
    clash("--parts needs files as its inputs, because parts of them are read several times");
}

/// Refuses what `--sandbox process` can't do yet.
void check_processes(Commands command, const Asked& asked) {
  if (asked.sandbox != SandboxMode::process) return;
  const std::string option = "--sandbox process";
  if ((command & kVideoCommands) == 0) clash(option + " is for run, hide and detect so far");
  if (asked.allow_references) clash(option + " and --allow-references exclude each other");
  if (asked.run.parts > 0) clash(option + " and --parts exclude each other");
  const bool cuda = asked.run.devices || (!asked.run.device.automatic &&
                                          asked.run.device.device.kind == DeviceKind::cuda);
  if (cuda) clash(option + " works on the CPU only so far");
  for (const std::string& input : all_inputs(asked))
    if (input == "-" || video::is_url(input))
      clash(option + " reads files only, no URLs and pipes: " + input);
}

float score_of(const Asked& asked) {
  return asked.score.value_or(detector::DetectorOptions{}.score_threshold);
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
    run.detector.weak_score = run.job.hide->tracks.doubtful_score;
    return;
  }
  run.left_to_card.score = !asked.score;
  run.left_to_card.soft_min_score = !asked.score && !asked.nms_min_score;
  const float score = score_of(asked);
  run.detector.score_threshold = score;
  if (!asked.score) run.detector.card_score = detector::CardScore::taken;
  if (run.job.search.every > 1) run.detector.weak_score = pipeline::kWeakFace;
  if (run.job.overlay.ids) run.detector.weak_score = run.job.follow.emplace().doubtful_score;
  if (run.detector.weak_score) run.job.search.face_score = score;
}

/// Derives everything that depends on several options, for a command that works on whole videos.
RunOptions derive_run(const Asked& asked, RunOptions run) {
  derive_streams(asked, run);
  derive_existing(asked, run);
  check_task(run);
  check_spans(run);
  copy_shared(asked, run);
  derive_suppression(asked, run.job.hide ? run.job.hide->tracks.doubtful_score : score_of(asked),
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

// --- hide and detect ---

void check_track_file(const Asked& asked) {
  const RunOptions& run = asked.run;
  if (run.files.tracks.empty()) return;
  if (asked.outputs.skip_existing) clash("--write-tracks and --skip-existing exclude each other");
  if (run.job.input.start_s || run.job.input.end_s)
    clash("--write-tracks needs the whole input: it excludes --start and --end");
  if (asked.allow_references)
    clash(
        "--write-tracks identifies the input by its SHA-256, which doesn't cover the files that a "
        "playlist names: it excludes --allow-references");
}

/// Makes the options that hide and detect have in common.
RunOptions with_tracking(const Asked& asked) {
  RunOptions run = asked.run;
  pipeline::HideJob& hide = run.job.hide.emplace();
  hide.host_motion = asked.hiding.motion == MotionPlace::host;
  run.motion_on_device = asked.hiding.motion == MotionPlace::device;
  if (asked.hiding.careful) {
    if (run.job.search.every > 1)
      clash("--careful looks at every frame twice: it excludes --every");
    hide.tracks.gap_s = kCarefulGap_s;
    hide.tracks.sure_score = kCarefulSure;
    hide.tracks.start_score = kCarefulStart;
  }
  hide.wants_tracks = !run.files.tracks.empty();
  check_track_file(asked);
  return run;
}

overlay::HideOptions derive_appearance(const AskedHiding& hiding) {
  overlay::HideOptions appearance;
  appearance.shape = hiding.shape;
  appearance.style = hiding.style.style;
  appearance.color = hiding.style.color;
  appearance.grow = hiding.grow.value_or(overlay::default_grow(hiding.shape));
  if (!hiding.style.image_file.empty())
    appearance.image =
        std::make_shared<const RgbaImage>(video::read_rgba_image(hiding.style.image_file));
  return appearance;
}

/// Returns the value of --lookahead-memory. The default is at most a quarter of what the control
/// group allows, because the system kills a process that needs more.
std::int64_t lookahead_bytes(const AskedHiding& hiding) {
  static const AskedHiding unasked;
  const std::optional<std::int64_t> limit = memory_limit();
  const bool chosen = hiding.lookahead_bytes != unasked.lookahead_bytes;
  return chosen || !limit ? hiding.lookahead_bytes : std::min(hiding.lookahead_bytes, *limit / 4);
}

RunOptions derive_hide(const Asked& asked) {
  if (asked.outputs.no_video)
    clash("--no-video: hide always makes a video; detect makes only the other files");
  RunOptions run = with_tracking(asked);
  pipeline::HideJob& hide = *run.job.hide;
  hide.appearance = derive_appearance(asked.hiding);
  hide.kept_tags = asked.hiding.kept_tags;
  hide.most_bytes = lookahead_bytes(asked.hiding);
  hide.regions = asked.hiding.regions;
  if (!run.files.known_tracks.empty() && asked.allow_references)
    clash(
        "--tracks identifies the input by its SHA-256, which doesn't cover the files that a "
        "playlist names: it excludes --allow-references");
  return derive_run(asked, std::move(run));
}

RunOptions derive_detect(const Asked& asked) {
  RunOptions run = with_tracking(asked);
  run.video = false;
  return derive_run(asked, std::move(run));
}

// --- Parts ---

std::filesystem::path plan_of_parts_of(const std::string& input) {
  std::filesystem::path plan = input;
  return plan.replace_extension(".parts.json");
}

/// @param derive_whole  makes the options of the command whose work is split
SplitOptions derive_split(const Asked& asked, RunOptions (*derive_whole)(const Asked&)) {
  const std::vector<std::string> inputs = all_inputs(asked);
  if (inputs.size() != 1) clash("split takes one INPUT, not " + std::to_string(inputs.size()));
  if (!asked.config.empty())
    clash("--config: split takes all options from the command line, which the plan repeats");
  Asked whole = asked;
  if (whole.run.parts == 0) whole.run.parts = kUsualParts;
  SplitOptions split;
  split.run = derive_whole(whole);
  split.run.existing = ExistingOutput::overwrite;  // join decides about the output
  split.plan = asked.plan_of_parts.empty() ? plan_of_parts_of(inputs.front()) : asked.plan_of_parts;
  split.overwrite = asked.outputs.overwrite;
  return split;
}

PartOptions derive_part(const Asked& asked) {
  const std::vector<std::string> words = all_inputs(asked);
  if (words.size() != 2)
    clash("part takes PLAN and PART, not " + std::to_string(words.size()) + " words");
  PartOptions part;
  part.plan = words[0];
  part.number = words[1];
  part.folder = asked.folder.empty() ? "." : asked.folder;
  part.threads = asked.detector.threads;
  part.task = asked.run.task;
  part.task.wanted = true;
  part.sandbox = asked.sandbox;
  part.console = asked.console;
  return part;
}

JoinOptions derive_join(const Asked& asked) {
  const std::vector<std::string> words = all_inputs(asked);
  if (words.size() != 1) clash("join takes one PLAN, not " + std::to_string(words.size()));
  JoinOptions join;
  join.plan = words.front();
  join.folder = asked.folder.empty() ? "." : asked.folder;
  join.run = asked.run;
  join.run.console = asked.console;
  join.run.sandbox = asked.sandbox;
  derive_streams(asked, join.run);
  derive_existing(asked, join.run);
  check_task(join.run);
  return join;
}

// --- The other commands ---

/// Makes the options of verify. The two videos may be before or after "--".
VerifyOptions derive_verify(const Asked& asked) {
  std::vector<std::string> videos = asked.inputs;
  std::erase(videos, std::string());
  videos.insert(videos.end(), asked.plain_inputs.begin(), asked.plain_inputs.end());
  if (videos.size() != 2)
    clash("verify takes two videos, ORIGINAL and HIDDEN, not " + std::to_string(videos.size()));
  name_standard_input(videos);
  if (videos[0] == video::kStandardInput && videos[1] == video::kStandardInput)
    clash("standard input can't be both videos");
  VerifyOptions verify = asked.verify;
  verify.original = videos[0];
  verify.hidden = videos[1];
  verify.detector = detector_of(asked);
  verify.console = asked.console;
  verify.sandbox = asked.sandbox;
  verify.max_pixels = asked.max_pixels;
  verify.overwrite = asked.outputs.overwrite;
  if (asked.allow_references) verify.references = video::References::open;
  return verify;
}

/// Returns "clip.tracks.json" for "clip.edits.json".
std::filesystem::path found_tracks_of(const std::filesystem::path& edits) {
  std::filesystem::path name = edits.stem();  // without ".json"
  if (name.extension() == ".edits") name = name.stem();
  name += ".tracks.json";
  return edits.parent_path() / name;
}

std::filesystem::path edits_of(const std::string& input) {
  std::filesystem::path edits = input;
  return edits.replace_extension(".edits.json");
}

std::string login_name() {
  const char* const name = std::getenv("USER");
  return name == nullptr || *name == '\0' ? "unknown" : name;
}

/// Makes the options of the search that review begins with.
RunOptions derive_search(const Asked& asked, const std::filesystem::path& found) {
  Asked search = asked;
  search.outputs = {};
  search.run.job.output = {};
  search.run.files.tracks = found;
  return derive_detect(search);
}

/// Makes the options with which review hides what its edit file says.
RunOptions derive_rendering(const Asked& asked, const std::filesystem::path& edits) {
  Asked rendering = asked;
  rendering.run.files.known_tracks = edits;
  // These options are about the search, which has been made.
  rendering.detector = {};
  rendering.detector.threads = asked.detector.threads;
  rendering.models.clear();
  rendering.hiding.careful = false;
  rendering.run.job.search = {};
  return derive_hide(rendering);
}

ReviewOptions derive_review(const Asked& asked) {
  const std::vector<std::string> inputs = all_inputs(asked);
  if (inputs.size() != 1) clash("review takes one INPUT, not " + std::to_string(inputs.size()));
  if (inputs.front() == "-" || inputs.front().empty()) clash("review needs a file as its INPUT");
  if (asked.outputs.path == "-") clash("--output -: review writes its video to a file");
  ReviewOptions review;
  review.input = inputs.front();
  review.tracks = asked.review.tracks;
  review.edits = asked.review.edits.empty() ? edits_of(review.input) : asked.review.edits;
  if (review.tracks == review.edits)
    clash("--tracks and --edits are the same file: review doesn't change the tracks");
  review.reviewer = asked.review.reviewer.empty() ? login_name() : asked.review.reviewer;
  review.opens_browser = !asked.review.no_open;
  review.page = asked.review.to;
  review.detect = derive_search(asked, found_tracks_of(review.edits));
  review.hide = derive_rendering(asked, review.edits);
  review.verify = asked.verify;
  review.verify.detector = detector_of(asked);
  review.verify.console = asked.console;
  review.verify.max_pixels = asked.max_pixels;
  return review;
}

CalibrateOptions derive_calibrate(const Asked& asked) {
  return {.pictures = all_inputs(asked),
          .model = asked.detector.model,
          .card = asked.detector.card,
          .output = asked.outputs.path,
          .threads = asked.detector.threads,
          .overwrite = asked.outputs.overwrite,
          .sandbox = asked.sandbox,
          .quiet = asked.console.quiet};
}

ModelCheckOptions derive_model_check(const Asked& asked) {
  const std::vector<std::string> models = all_inputs(asked);
  if (models.size() != 1)
    clash("model check takes one MODEL, not " + std::to_string(models.size()));
  ModelCheckOptions check = asked.model_check;
  check.detector = asked.detector;
  check.detector.model = models.front();
  check.detector.score_threshold = score_of(asked);
  if (!asked.score) check.detector.card_score = detector::CardScore::taken;
  check.output = asked.outputs.path;
  check.overwrite = asked.outputs.overwrite;
  check.sandbox = asked.sandbox;
  if (check.picture.empty() && !check.output.empty())
    clash("--output is the copy of a picture: it needs --picture");
  return check;
}

DoctorOptions derive_doctor(const Asked& asked) {
  if (!asked.plain_inputs.empty()) clash("doctor takes no INPUT");
  return {asked.detector.model, asked.detector.card};
}

/// Returns a name of a command that was given as one or two words.
std::string command_name(const Asked& asked) {
  std::string name;
  for (const std::string& word : all_inputs(asked)) name += (name.empty() ? "" : " ") + word;
  return name;
}

ShowText derive_help(const Asked& asked) {
  const std::string name = command_name(asked);
  if (asked.help.man) return {man_page(name, date_of_source())};
  if (!asked.help.json) return help_on(name, HelpDepth::usual);
  if (!name.empty()) clash("help --json tells of all commands: it takes no COMMAND");
  return {options_json()};
}

ShowText derive_completion(const Asked& asked) {
  const std::vector<std::string> shells = all_inputs(asked);
  if (shells.size() != 1) clash("completion takes one SHELL, not " + std::to_string(shells.size()));
  return {completion_script(shells.front())};
}

}  // namespace

Command derive(Commands command, const Asked& asked) {
  check_processes(command, asked);
  switch (command) {
    case kHide:
      return derive_hide(asked);
    case kDetect:
      return derive_detect(asked);
    case kPlanRun:
      return PlanOptions{derive_drawing(asked), asked.plan.json};
    case kPlanHide:
      return PlanOptions{derive_hide(asked), asked.plan.json};
    case kSplitRun:
      return derive_split(asked, derive_drawing);
    case kSplitHide:
      return derive_split(asked, derive_hide);
    case kPart:
      return derive_part(asked);
    case kJoin:
      return derive_join(asked);
    case kVerify:
      return derive_verify(asked);
    case kReview:
      return derive_review(asked);
    case kCalibrate:
      return derive_calibrate(asked);
    case kModelCheck:
      return derive_model_check(asked);
    case kDoctor:
      return derive_doctor(asked);
    case kHelp:
      return derive_help(asked);
    case kCompletion:
      return derive_completion(asked);
    default:
      return derive_drawing(asked);
  }
}

}  // namespace facepipe::app
