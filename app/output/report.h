// Writes the file of --report, also while the run continues.
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

/// The entries of an earlier run, which are JSON objects. The key is their "file".
using ReportEntries = std::map<std::string, std::string>;

/// Holds a report, and where in its text the entry of each input is.
struct ReportText {
  std::string text;
  std::vector<OutputPart> entries;  ///< an entry's name is its "file"
};

/// Returns a JSON array with one object for each input, in order. A field is null if the run ended
/// before the field's value was known (for example, the model). If an input is skipped now, its
/// object is the entry of the earlier run, with "from_earlier_run". Entries of inputs that this run
/// doesn't have are at the end.
[[nodiscard]] ReportText report_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const std::vector<InputOutcome>& outcomes,
                                     const ReportEntries* earlier = nullptr);

/// Returns whether an entry says that the input is done and has no faces.
[[nodiscard]] bool reports_no_faces(const std::string& entry);

/// Returns whether an entry says that the input is done, but damaged.
[[nodiscard]] bool reports_damage(const std::string& entry);

/// Returns the object of one input, in one line.
[[nodiscard]] std::string entry_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const InputOutcome& outcome);

/// Writes each input's entry to the disk when the input is done. So a run that resumes a killed run
/// knows these entries. Not thread-safe. All functions throw Error(output), which names the file.
class ReportFile {
 public:
  /// Also throws Error(output) if the file exists and `existing` is ExistingOutput::refuse; with
  /// ExistingOutput::skip, if the file is not a report.
  ReportFile(const std::filesystem::path& path, ExistingOutput existing,
             const std::stop_token& stop);

  /// Adds the entry of an input that is done. `entry` must be an object in one line.
  void add(const std::string& name, const std::string& entry);

  /// Returns the entries of earlier runs.
  [[nodiscard]] const ReportEntries& earlier() const { return earlier_; }
  /// Forgets an entry. The caller needs this if two inputs have the same name: nobody knows to
  /// which input the entry belongs.
  void drop(const std::string& name) { earlier_.erase(name); }
  /// Returns whether a run has finished the file, and no later run has begun to replace it.
  [[nodiscard]] bool is_finished() const { return exists_already_ && !has_leftovers_; }

  /// Writes the whole report and gives the file its name. Must be called once, at the end.
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
  std::set<std::filesystem::path> taken_over_;  ///< leftovers whose entries are all in earlier_
};

}  // namespace facepipe::app
