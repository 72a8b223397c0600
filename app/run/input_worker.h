// Works on one input of a run, from its turn to its outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/frame_file.h"
#include "app/output/progress.h"
#include "app/run/collector.h"
#include "app/run/input_outcome.h"
#include "app/run/run_device.h"
#include "app/run/run_parts.h"
#include "app/run/run_progress.h"
#include "app/run/run_times.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// What the inputs of a run share while they are worked on. All of it outlives the work.
struct SharedWork {
  RunContext context;
  std::vector<InputOutcome>& outcomes;
  SharedFiles& files;
  RunDevice& device;
  Collector& collector;
  RunProgress& progress;
  RunTimes& times;
};

/// Fills in the outcomes. Errors of an input end that input; those that are thrown concern all.
class InputWorker {
 public:
  explicit InputWorker(SharedWork shared) : shared_(std::move(shared)) {}

  /// Works on an input when all inputs before it have ended: its frames go to the files at once.
  void work_alone(std::size_t index);

  /// Works on an input while others work on others: its frames wait. Returns false if the device
  /// has failed, maybe because memory was short beside the others; the input hasn't ended then.
  /// Thread-safe once the device is ready.
  [[nodiscard]] bool work_beside_others(std::size_t index, const pipeline::SharedLanes& lanes,
                                        ProgressOfSeveral& all);

 private:
  using WriteFrame = std::function<void(const NamedFrame&)>;

  [[nodiscard]] bool begin(InputOutcome& outcome);
  void check_before_work(InputOutcome& outcome);
  [[nodiscard]] pipeline::JobObserver observer_of(const InputOutcome& outcome, bool writes_video,
                                                  WriteFrame write);
  void check_that_something_is_written();
  [[nodiscard]] std::optional<Failure> run_job(InputOutcome& outcome, pipeline::JobOptions& job,
                                               const pipeline::JobObserver& observer);

  const SharedWork shared_;
};

}  // namespace facepipe::app
