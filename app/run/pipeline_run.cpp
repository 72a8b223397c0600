#include "app/run/pipeline_run.h"

#include <exception>

#include "app/backends.h"
#include "app/failure.h"
#include "app/run/opened_inputs.h"
#include "app/run/plan_run.h"
#include "app/run/run.h"
#include "app/run/run_parts.h"
#include "app/run/turned_input.h"
#include "core/error.h"
#include "pipeline/job.h"

namespace facepipe::app {
namespace {

/// Holds what the functions of a run share.
class PipelineParts {
 public:
  PipelineParts(const RunOptions& options, const RunWatch& watch, const std::stop_token& stop)
      : inputs_(options.inputs.size() == 1,
                options.job.input.allow_references ? video::References::open
                                                   : video::References::refuse,
                options.job.input.max_pixels, stop),
        watch_(watch) {}

  /// The result must not outlive this object.
  [[nodiscard]] RunParts parts() {
    RunParts parts;
    parts.output_extension = [this](const std::string& input, const std::string& encoder) {
      return inputs_.output_extension(input, encoder);
    };
    parts.probe_cuda = probe_cuda;
    parts.backend = make_backend;
    parts.job = [this](const pipeline::JobOptions& options, pipeline::Backend& backend,
                       const pipeline::JobObserver& observer, const std::stop_token& stop) {
      return watched_job(options, backend, observer, stop);
    };
    parts.start_devices = start_devices;
    parts.open_input = [this](const std::string& input) { inputs_.open(input); };
    parts.renderer = make_renderer;
    parts.process_ends = watch_.process_ends;
    parts.faces_by_turn =
        [this](const pipeline::JobOptions& options, const detector::DetectorOptions& detector,
               const std::stop_token& stop) { return turned_.faces_of(options, detector, stop); };
    return parts;
  }

 private:
  pipeline::JobResult watched_job(const pipeline::JobOptions& options, pipeline::Backend& backend,
                                  const pipeline::JobObserver& observer,
                                  const std::stop_token& stop) {
    pipeline::JobObserver watched = observer;
    if (watch_.progress)
      watched.progress = [&](const pipeline::Progress& progress) {
        watch_.progress(progress);
        if (observer.progress) observer.progress(progress);
      };
    try {
      return pipeline::run_job(options, backend, watched, stop, inputs_.take(options.input.name));
    } catch (const Stopped&) {
      throw;
    } catch (const std::exception& error) {
      if (watch_.failed) watch_.failed(reason_of(error));
      throw;
    }
  }

  OpenedInputs inputs_;
  TurnedInputs turned_;
  const RunWatch& watch_;
};

}  // namespace

int with_pipeline(const RunOptions& options, const std::stop_token& stop,
                  const std::function<int(const RunParts&)>& work) {
  const RunWatch nobody;
  PipelineParts pipeline(options, nobody, stop);
  return work(pipeline.parts());
}

int run_with_pipeline(const RunOptions& options, const std::stop_token& stop,
                      const RunWatch& watch) {
  PipelineParts pipeline(options, watch, stop);
  return run(options, pipeline.parts(), stop);
}

PlannedVideo planned_video(const RunOptions& options, const std::stop_token& stop) {
  const RunWatch nobody;
  PipelineParts pipeline(options, nobody, stop);
  const std::vector<InputOutcome> outcomes = plan_run(options, pipeline.parts());
  if (outcomes.size() != 1)
    throw Error(ErrorKind::usage, options.inputs.front() + ": is not one video");
  const InputOutcome& outcome = outcomes.front();
  return {outcome.planned.output, outcome.error, outcome.code};
}

}  // namespace facepipe::app
