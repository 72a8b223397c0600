// Writes the frames and entries of inputs to the files besides the video, in the order of the
// inputs.
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

/// Holds the files besides the video, for threads that work on several inputs.
struct SharedFiles {
  SharedFiles(const SideFiles& wanted, ExistingOutput existing, const std::stop_token& stop,
              bool several)
      : files(wanted, existing, stop), of_several(several) {}

  SideOutputs files;
  std::mutex mutex;  ///< guards `files` while several inputs are worked on; spools need no lock
  /// True if the files hold several inputs. Then the files contain all frames of an input, or none.
  const bool of_several;
};

/// Allows inputs to end in any order, but writes their frames and entries to the files in the order
/// of the inputs. Thread-safe.
class Collector {
 public:
  /// @param facts  must be filled in before the first input ends with a result
  /// All arguments must outlive this object.
  Collector(const RunOptions& options, const std::optional<RunFacts>& facts,
            const std::vector<InputOutcome>& outcomes, SharedFiles& files, FileFailures& failures);

  /// Must be called when the input has ended and has its outcome.
  /// @param frames  frames that wait to be written; nullopt if they were written to the files at
  ///        once
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
  std::vector<EndedInput> ended_;  // by input; SharedFiles::mutex guards this and next_
  std::size_t next_ = 0;           // the first input whose frames are not yet in the files
};

}  // namespace facepipe::app
