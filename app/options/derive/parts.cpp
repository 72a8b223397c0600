#include "app/options/derive/parts.h"

#include <filesystem>
#include <string>
#include <vector>

#include "app/options/derive/common.h"
#include "app/options/derive/whole_videos.h"
#include "app/parts/part_plan.h"

namespace facepipe::app {
namespace {

std::filesystem::path plan_of_parts_of(const std::string& input) {
  std::filesystem::path plan = input;
  return plan.replace_extension(".parts.json");
}

}  // namespace

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
  part.lanes = asked.run.job.resources.lanes;
  part.tolerate_damage = asked.run.tolerate_damage;
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

}  // namespace facepipe::app
