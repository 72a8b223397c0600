// What inputs leave in the files beside the video, put there in the order of the inputs.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/options/options.h"
#include "app/output/side_files.h"
#include "app/run/file_failures.h"
#include "app/run/input_outcome.h"

namespace facepipe::app {

/// The files beside the video, as threads of several inputs use them.
struct SharedFiles {
  SharedFiles(const SideFiles& wanted, ExistingOutput existing, const std::stop_token& stop,
              bool several)
      : files(wanted, existing, stop), of_several(several) {}

  SideOutputs files;
  std::mutex mutex;  ///< guards `files` while several inputs are worked on; spools need no lock
  /// The files hold several inputs: the frames of each one are in them completely, or not at all.
  const bool of_several;
};

/// Lets inputs end in any order, and completes their frames and entries in the files in the order
/// of the inputs. Thread-safe.
class Collector {
 public:
  /// @param facts  are filled in before the first input ends with a result
  /// All arguments outlive this object.
  Collector(const RunOptions& options, const std::optional<RunFacts>& facts,
            const std::vector<InputOutcome>& outcomes, SharedFiles& files, FileFailures& failures);

  /// The input has ended, with its outcome.
  /// @param frames  that wait for their turn; none if they went to the files at once
  void end(std::size_t index, std::optional<SideOutputs::Spool> frames = std::nullopt);
  [[nodiscard]] bool has_ended(std::size_t index) const;

 private:
  struct EndedInput {
    bool done = false;
    std::optional<SideOutputs::Spool> frames;
  };

  void complete(const InputOutcome& outcome, const std::optional<SideOutputs::Spool>& frames);
  void complete_frames(const InputOutcome& outcome);

  const RunOptions& options_;
  const std::optional<RunFacts>& facts_;
  const std::vector<InputOutcome>& outcomes_;
  SharedFiles& shared_;
  FileFailures& failures_;
  std::vector<EndedInput> ended_;  // by input; guarded by the files' mutex, as what follows
  std::size_t next_ = 0;           // the first input that is not in the files
};

}  // namespace facepipe::app
