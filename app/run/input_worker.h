// Works on one input of a run, from its beginning to its outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/frame_file.h"
#include "app/output/html/run_series.h"
#include "app/output/progress.h"
#include "app/run/collector.h"
#include "app/run/input_outcome.h"
#include "app/run/run_device.h"
#include "app/run/run_pages.h"
#include "app/run/run_parts.h"
#include "app/run/run_progress.h"
#include "app/run/run_times.h"
#include "pipeline/job.h"
#include "video/write/preview_pictures.h"

namespace facepipe::app {

/// Holds the objects that all inputs of a run share. The objects must outlive the work on the
/// inputs. It has more than seven members, because each is a separate part of the run.
struct SharedWork {
  RunContext context;
  std::vector<InputOutcome>& outcomes;
  SharedFiles& files;
  RunDevice& device;
  Collector& collector;
  RunProgress& progress;
  RunTimes& times;
  RunPages& pages;
  FileFailures& failures;
};

/// Sets the outcomes of inputs. An error of one input ends only this input. Functions throw only
/// errors that concern all inputs.
class InputWorker {
 public:
  explicit InputWorker(SharedWork shared) : shared_(std::move(shared)) {}

  /// Works on an input after all earlier inputs have ended. So its frames are written to the files
  /// at once.
  void work_alone(std::size_t index);

  /// Works on an input while other inputs are worked on, too. So its frames wait in a spool.
  /// Returns false if the device has failed, which may happen because several inputs need too much
  /// memory together. Then the input has not ended. Thread-safe once the device is ready.
  [[nodiscard]] bool work_beside_others(std::size_t index, const pipeline::SharedLanes& lanes,
                                        ProgressOfSeveral& all);

 private:
  /// Holds what the page of an input shows besides its entry in the report.
  struct Shown {
    RunSeries series;
    std::vector<video::PreviewPicture> pictures{};
  };
  using WriteFrame = std::function<void(const NamedFrame&)>;

  [[nodiscard]] bool begin(InputOutcome& outcome);
  void check_before_work(InputOutcome& outcome);
  [[nodiscard]] pipeline::JobObserver observer_of(const InputOutcome& outcome, bool writes_video,
                                                  WriteFrame write, Shown& shown);
  void check_that_something_is_written();
  [[nodiscard]] std::optional<Failure> run_job(InputOutcome& outcome, pipeline::JobOptions& job,
                                               const pipeline::JobObserver& observer);
  void note_decisions(InputOutcome& outcome);
  void note_output_hash(InputOutcome& outcome);
  [[nodiscard]] bool wants_pictures(const pipeline::JobOptions& job) const;
  void make_page(std::size_t index, Shown shown);

  const SharedWork shared_;
};

}  // namespace facepipe::app
