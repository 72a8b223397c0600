// The file of --report, also while the run goes on.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/run/input_outcome.h"
#include "core/files/output_file.h"
#include "core/files/output_lock.h"

namespace facepipe::app {

/// The entries of an earlier run, which are JSON objects, by their "file".
using ReportEntries = std::map<std::string, std::string>;

/// A report, and where the entry of each input lies in its text.
struct ReportText {
  std::string text;
  std::vector<OutputPart> entries;  ///< named by their "file"
};

/// Returns a JSON array with one object for each input, in order. A field is null if the run didn't
/// get so far (the model of a run that failed before). An input that is skipped now has the entry
/// of the earlier run, with "from_earlier_run". Entries of inputs that this run doesn't have stand
/// at the end.
[[nodiscard]] ReportText report_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const std::vector<InputOutcome>& outcomes,
                                     const ReportEntries* earlier = nullptr);

/// Tells whether an entry says that the input is done and has no face.
[[nodiscard]] bool tells_of_no_faces(const std::string& entry);

/// Tells whether an entry says that the input is done, but damaged.
[[nodiscard]] bool tells_of_damage(const std::string& entry);

/// Returns one such object, in one line.
[[nodiscard]] std::string entry_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const InputOutcome& outcome);

/// Writes each input's entry to the disk when the input is done, so that a run that resumes a
/// killed one knows it. Not thread-safe. Errors: Error(output), naming the file.
class ReportFile {
 public:
  /// Errors: also a file that exists, with ExistingOutput::refuse; with skip, one that is no
  /// report.
  ReportFile(const std::filesystem::path& path, ExistingOutput existing,
             const std::stop_token& stop);

  /// Adds the entry of an input that is done: an object in one line.
  void add(const std::string& name, const std::string& entry);

  /// Returns the entries of earlier runs.
  [[nodiscard]] const ReportEntries& earlier() const { return earlier_; }
  /// Forgets an entry. If two inputs have the same name, nobody can tell whose it is.
  void drop(const std::string& name) { earlier_.erase(name); }
  /// Tells whether a run has finished the file, and none has begun it again since.
  [[nodiscard]] bool is_finished() const { return exists_already_ && !has_leftovers_; }

  /// Writes the whole report and gives the file its name. Called once, last.
  void commit(const ReportText& report);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.target(); }

 private:
  void read_finished();
  void read_leftovers();
  void enter(const nlohmann::ordered_json& entry);

  OutputFile file_;
  bool exists_already_ = false;
  bool has_leftovers_ = false;
  ReportEntries earlier_;
  std::set<std::filesystem::path> taken_over_;  ///< leftovers all of whose entries are in earlier_
};

}  // namespace facepipe::app
