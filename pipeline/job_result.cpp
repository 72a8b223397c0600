#include "pipeline/job_result.h"

#include "core/passing_error.h"

namespace facepipe::pipeline {

std::string JobResult::damage() const {
  if (intact()) return {};
  const bool others = side_packets_lost > 0;
  return std::to_string(ledger.lost) + " frames lost, " + std::to_string(ledger.damaged) +
         " damaged" + (ledger.ended_early ? ", the file ends early (" + early_end + ")" : "") +
         (others ? ", " + std::to_string(side_packets_lost) + " packets of other streams lost"
                 : "");
}

void JobResult::throw_failure() const {
  if (failure_passes) throw PassingError(*failure);
  throw Error(*failure);
}

}  // namespace facepipe::pipeline
