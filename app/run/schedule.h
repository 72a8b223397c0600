// Decides in which order a run works on its inputs: several at the same time, or one after the
// other.
#pragma once

#include <cstddef>
#include <vector>

#include "app/run/input_outcome.h"
#include "app/run/input_worker.h"

namespace facepipe::app {

/// Works on all inputs that wait. First, Schedule works on several inputs at the same time, which
/// share the lanes of the device. Only inputs whose encoders don't keep all processors busy are
/// among them. Then Schedule works on the other inputs, one after the other. The other inputs
/// include those at which the device failed before. Throws errors that concern all inputs.
class Schedule {
 public:
  explicit Schedule(const SharedWork& shared) : shared_(shared), worker_(shared) {}

  void work_on_all();

 private:
  void end_what_is_not_waiting();
  [[nodiscard]] std::vector<std::size_t> may_run_at_once() const;
  [[nodiscard]] bool may_run_beside_others(const InputOutcome& outcome) const;
  void work_at_once(const std::vector<std::size_t>& inputs, int lanes);

  const SharedWork shared_;
  InputWorker worker_;
};

}  // namespace facepipe::app
