// Makes the pages of --report-html for a run.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/output/html/page_files.h"
#include "app/output/html/run_series.h"
#include "app/output/report.h"
#include "app/run/input_outcome.h"
#include "video/write/preview_pictures.h"

namespace facepipe::app {

/// Makes a page for each input when it has ended, and the main page at the end of the run. All
/// functions do nothing if no page is wanted. Functions throw Error(output).
class RunPages {
 public:
  /// @param several  whether the main page has a table of inputs
  /// Also throws Error(output) if a file exists and may not be replaced. `options` must outlive
  /// this object.
  RunPages(const RunOptions& options, const std::vector<InputOutcome>& outcomes, bool several,
           const std::stop_token& stop);

  /// Makes the page of an input that has ended. Its pictures are decoded from the finished output.
  /// Thread-safe for different inputs.
  void end(std::size_t input, const InputOutcome& outcome, const std::optional<RunFacts>& facts,
           const RunSeries& series, std::vector<video::PreviewPicture> pictures);
  /// Makes the main page. Must be called once, at the end.
  /// @param earlier  what earlier runs reported; may be nullptr
  void commit(const std::vector<InputOutcome>& outcomes, const std::optional<RunFacts>& facts,
              const ReportEntries* earlier);

  /// Returns the path of the main page; empty if it wasn't written.
  [[nodiscard]] const std::filesystem::path& committed() const { return files_.committed(); }

 private:
  [[nodiscard]] std::string table(const std::vector<InputOutcome>& outcomes,
                                  const std::optional<RunFacts>& facts,
                                  const ReportEntries* earlier) const;

  const RunOptions& options_;
  PageFiles files_;
  std::string only_page_;  ///< the page of the only input, which is the main page
};

}  // namespace facepipe::app
