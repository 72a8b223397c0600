#include "app/run/schedule.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/output/progress.h"
#include "app/run/input_queue.h"
#include "app/run/named_files.h"
#include "core/permit_pool.h"
#include "core/timing.h"
#include "pipeline/lanes/runner.h"
#include "video/write/container.h"
#include "video/write/encoder.h"

namespace facepipe::app {

void Schedule::work_on_all() {
  end_what_is_not_waiting();
  const std::vector<std::size_t> at_once = may_run_at_once();
  if (at_once.size() > 1) {
    const pipeline::Backend& backend = shared_.device.ready();
    const int wanted = shared_.context.options.job.resources.lanes;
    const int lanes = wanted > 0 ? wanted : backend.inputs_at_once();
    if (lanes > 1) work_at_once(at_once, lanes);
  }
  for (std::size_t i = 0; i < shared_.outcomes.size(); ++i)
    if (!shared_.collector.has_ended(i)) worker_.work_alone(i);
}

void Schedule::end_what_is_not_waiting() {
  for (std::size_t i = 0; i < shared_.outcomes.size(); ++i)
    if (shared_.outcomes[i].status != InputStatus::waiting) shared_.collector.end(i);
}

std::vector<std::size_t> Schedule::may_run_at_once() const {
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < shared_.outcomes.size(); ++i) {
    const InputOutcome& outcome = shared_.outcomes[i];
    if (outcome.status == InputStatus::waiting && may_run_beside_others(outcome))
      inputs.push_back(i);
  }
  return inputs;
}

/// Returns false if the encoder of the input's output keeps all processors busy by itself, or if
/// the output is made in parts.
bool Schedule::may_run_beside_others(const InputOutcome& outcome) const {
  if (shared_.context.options.parts > 0) return false;
  const std::filesystem::path& output = outcome.planned.output;
  if (output.empty() || outcome.keeps_video) return true;
  const pipeline::JobOptions& job = shared_.context.options.job;
  bool one_picture = false;
  const auto failure = attempt({}, [&] {
    one_picture = video::is_image_format(video::muxer_for(output, job.output.format));
  });
  // The input's own job reports the failure.
  return !failure && (one_picture || video::asks_for_one_by_one(job.output.encoder));
}

/// Works on several inputs at the same time. Each lane works on one input after the other. A lane
/// that finds no more inputs helps the other lanes.
void Schedule::work_at_once(const std::vector<std::size_t>& inputs, int lanes) {
  const Clock::time_point begin = Clock::now();
  const bool bar = shared_.progress.kind() == ProgressKind::bar;
  ProgressReporter reporter(bar ? ProgressKind::bar : ProgressKind::none, stderr,
                            {{}, 0, inputs.size(), {}, 0, {}});
  ProgressOfSeveral progress(reporter);
  std::vector<QueuedInput> queued;
  for (const std::size_t index : inputs)
    queued.push_back({index, bytes_of_input(shared_.outcomes[index].planned.input)});
  InputQueue queue(std::move(queued), lanes);
  PermitPool permits(lanes);
  pipeline::Runner runner;
  for (int i = 0; i < lanes && std::cmp_less(i, inputs.size()); ++i) {
    const auto permit = std::make_shared<PermitPool::Permit>(permits.acquire({}));
    runner.add("input", [&, permit] {
      while (!runner.failed().stop_requested()) {
        const auto turn = queue.next();
        if (!turn) break;
        const pipeline::SharedLanes share{permits, lanes, permit->number(), turn->may_grow};
        // If the device fails in a lane, the lane takes no other input. The lane keeps its permit,
        // so that no other lane gets the permit and uses the device.
        if (!worker_.work_beside_others(turn->index, share, progress)) return;
      }
      permit->release();
    });
  }
  runner.run();
  shared_.times.add_several_at_once(in_seconds(Clock::now() - begin));
}

}  // namespace facepipe::app
