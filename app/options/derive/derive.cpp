#include "app/options/derive/derive.h"

#include <string>
#include <vector>

#include "app/options/completion/completion.h"
#include "app/options/derive/common.h"
#include "app/options/derive/hiding.h"
#include "app/options/derive/parts.h"
#include "app/options/derive/review.h"
#include "app/options/derive/whole_videos.h"
#include "app/options/help/help.h"
#include "app/options/help/man_page.h"
#include "app/options/help/options_json.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

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
