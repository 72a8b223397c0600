// The file of --report, and what is known of it while the run goes on.
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

/// Entries of an earlier run, JSON objects, by their "file".
using ReportEntries = std::map<std::string, std::string>;

/// Holds a report, and tells where the entry of each input lies in its text.
struct ReportText {
  std::string text;
  std::vector<OutputPart> entries;  ///< named by their "file"
};

/// A JSON array with one object an input, in order. Fields of what was not reached (the model of a
/// run that failed before) are null. What an earlier run reported of an input that was skipped now
/// stands in its place, with "from_earlier_run"; of inputs that this run doesn't have, at the end.
[[nodiscard]] ReportText report_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const std::vector<InputOutcome>& outcomes,
                                     const ReportEntries* earlier = nullptr);

/// Whether an entry is of an input that is done and has no face.
[[nodiscard]] bool tells_of_no_faces(const std::string& entry);

/// Whether an entry is of an input that is done, but damaged.
[[nodiscard]] bool tells_of_damage(const std::string& entry);

/// One such object, in one line.
[[nodiscard]] std::string entry_json(const RunOptions& options,
                                     const std::optional<RunFacts>& facts,
                                     const InputOutcome& outcome);

/// Keeps each input's entry on the disk from the moment on at which the input is done, so that a
/// run that resumes a killed one knows it. Not thread-safe. Errors: Error(output), naming the file.
class ReportFile {
 public:
  /// Errors: also a file that exists, with ExistingOutput::refuse; with skip, one that is no
  /// report.
  ReportFile(const std::filesystem::path& path, ExistingOutput existing,
             const std::stop_token& stop);

  /// An input is done: its entry, an object in one line.
  void add(const std::string& name, const std::string& entry);

  /// Entries of earlier runs, JSON objects, by their "file".
  [[nodiscard]] const ReportEntries& earlier() const { return earlier_; }
  /// Forgets one: where two inputs go by one name, nobody can tell whose it is.
  void drop(const std::string& name) { earlier_.erase(name); }
  /// Whether a run has finished the file, and none has begun it since.
  [[nodiscard]] bool is_finished() const { return exists_already_ && !has_leftovers_; }

  /// Writes the whole report, which gets the file's name. Called once, last.
  void commit(const ReportText& report);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.target(); }

 private:
  void read_finished();
  void read_leftovers();
  void enter(const nlohmann::ordered_json& entry);
  void write(const std::string& text);

  OutputFile file_;
  bool exists_already_ = false;
  bool has_leftovers_ = false;
  ReportEntries earlier_;
  std::set<std::filesystem::path> taken_over_;  ///< leftovers all of whose entries are in earlier_
};

}  // namespace facepipe::app
