#include "app/output/report.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/output/existing_target.h"
#include "app/output/foreign_json.h"
#include "app/output/input_json.h"
#include "app/output/text.h"
#include "core/error.h"
#include "core/files/read_stream.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

/// Returns the JSON text. Names of files may contain any byte. Bytes that are not UTF-8 become
/// U+FFFD.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json from_earlier(const std::string& text) {
  Json entry = foreign_json(text);
  entry["from_earlier_run"] = true;
  return entry;
}

/// Appends an entry in the same form as in a dump of the whole array. Each line can be indented,
/// because JSON strings contain no line breaks.
void append_entry(ReportText& report, const Json& entry) {
  std::string& text = report.text;
  text += report.entries.empty() ? "\n  " : ",\n  ";
  const auto begin = static_cast<std::int64_t>(text.size());
  for (const char letter : dump(entry, 2)) {
    text += letter;
    if (letter == '\n') text += "  ";
  }
  report.entries.push_back({utf8(entry["file"].get_ref<const std::string&>()), begin,
                            static_cast<std::int64_t>(text.size())});
}

bool is_entry(const Json& json) {
  return json.is_object() && json.contains("file") && json["file"].is_string();
}

bool has_status(const Json& json, InputStatus status) {
  return json.is_object() && json.contains("status") && json["status"] == to_string(status);
}

std::string text_of(std::ifstream& stream, const fs::path& path) {
  std::optional<std::string> text = rest_of(stream);
  if (!text) throw Error(ErrorKind::output, path.string() + ": exists already, and can't be read");
  return *std::move(text);
}

}  // namespace

ReportText report_json(const RunOptions& options, const std::optional<RunFacts>& facts,
                       const std::vector<InputOutcome>& outcomes, const ReportEntries* earlier) {
  ReportText report{"[", {}};
  ReportEntries others = earlier != nullptr ? *earlier : ReportEntries{};
  for (const InputOutcome& outcome : outcomes) {
    const auto before = others.find(utf8(outcome.planned.name));
    const bool taken = before != others.end() && outcome.status == InputStatus::skipped;
    append_entry(report,
                 taken ? from_earlier(before->second) : input_json(options, facts, outcome));
    if (before != others.end()) others.erase(before);
  }
  for (const auto& [name, entry] : others) append_entry(report, from_earlier(entry));
  report.text += report.entries.empty() ? "]\n" : "\n]\n";
  return report;
}

bool reports_no_faces(const std::string& entry) {
  const Json json = foreign_json(entry);
  return has_status(json, InputStatus::done) && json.contains("faces") && json["faces"] == 0;
}

bool reports_damage(const std::string& entry) {
  return has_status(foreign_json(entry), InputStatus::damaged);
}

std::string entry_json(const RunOptions& options, const std::optional<RunFacts>& facts,
                       const InputOutcome& outcome) {
  return dump(input_json(options, facts, outcome), -1);
}

ReportFile::ReportFile(const fs::path& path, ExistingOutput existing, const std::stop_token& stop)
    : file_(checked_target(path, existing), at_the_end(existing), stop) {
  OutputLock* const lock = file_.lock();
  has_leftovers_ = lock != nullptr && !lock->leftovers().empty();
  if (existing != ExistingOutput::skip || lock == nullptr) return;
  read_finished();
  read_leftovers();
}

void ReportFile::read_finished() {
  std::ifstream stream(file_.target(), std::ios::binary);
  exists_already_ = stream.is_open();
  if (!exists_already_) return;
  file_.may_replace_what_is_there();
  const Json report = foreign_json(text_of(stream, file_.target()));
  bool good = report.is_array();
  for (const Json& entry : report) good = good && is_entry(entry);
  if (!good)
    throw Error(ErrorKind::output, file_.target().string() +
                                       ": exists already, and is not a report that this run "
                                       "can continue (--overwrite replaces it)");
  for (const Json& entry : report) enter(entry);
}

void ReportFile::enter(const Json& entry) {
  earlier_[entry["file"].get<std::string>()] = entry.dump();
}

/// Reads the entries of leftovers. They replace the entries of the finished file, which is older.
void ReportFile::read_leftovers() {
  for (const Leftover& leftover : file_.lock()->leftovers()) {
    std::ifstream stream(leftover.path, std::ios::binary);
    const std::string text = text_of(stream, leftover.path);
    bool all = true;
    for (const OutputPart& part : leftover.parts) {
      const auto begin = static_cast<std::size_t>(part.begin);
      const Json entry = begin > text.size()
                             ? Json()
                             : foreign_json(std::string_view(text).substr(
                                   begin, static_cast<std::size_t>(part.end - part.begin)));
      if (is_entry(entry))
        enter(entry);
      else
        all = false;
    }
    if (all) taken_over_.insert(leftover.path);
  }
}

void ReportFile::add(const std::string& name, const std::string& entry) {
  OutputLock* const lock = file_.lock();
  if (lock == nullptr) return;
  const std::int64_t begin = file_.size();
  file_.write_text(entry + '\n');
  lock->completed({name, begin, file_.size()});
}

void ReportFile::commit(const ReportText& report) {
  std::vector<fs::path> superseded;
  if (const OutputLock* const lock = file_.lock()) {
    for (const Leftover& leftover : lock->leftovers())
      if (!leftover.kept || taken_over_.contains(leftover.path))
        superseded.push_back(leftover.path);
    file_.begin_again();
  }
  file_.write_text(report.text);
  // If the report only gets a partial name, the next run reads its entries from there. On a full
  // disk, the report is more important than its record, so a failure of the record doesn't matter.
  static_cast<void>(attempt({}, [&] {
    if (OutputLock* const lock = file_.lock())
      for (const OutputPart& entry : report.entries) lock->completed(entry);
  }));
  file_.commit(superseded);
}

}  // namespace facepipe::app
