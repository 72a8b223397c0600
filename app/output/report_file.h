// The file of --report while the run goes on: what is known of the inputs that are done.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>

#include "app/options/options.h"
#include "app/output/report.h"
#include "core/output_file.h"

namespace facepipe {

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
  [[nodiscard]] bool exists_already() const { return exists_already_; }
  [[nodiscard]] bool has_leftovers() const { return has_leftovers_; }

  /// Writes the whole report, which gets the file's name. Called once, last.
  void commit(const std::string& json);

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
};

}  // namespace facepipe
