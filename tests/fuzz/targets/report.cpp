// The report of an earlier run: its entries are taken over unchanged.
//
// If the input begins with "!", the rest is the entry that a killed run has left.
#include "app/output/report.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/output/html/folder_page.h"
#include "app/output/html/run_page.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {
namespace {

void leave_entry(const std::filesystem::path& target, const std::string& entry) {
  OutputLock lock(target);
  const std::filesystem::path temporary = target.string() + ".tmp-abcdefghij";
  lock.writes(temporary);
  require(write_new_file(temporary, std::as_bytes(std::span(entry))) == 0, "the file is written");
  lock.completed({"a", 0, static_cast<std::int64_t>(entry.size())});
  lock.keep_record(true);
}

std::optional<app::ReportEntries> entries_of(const std::filesystem::path& target) {
  return parsed(ErrorKind::output,
                [&] { return app::ReportFile(target, app::ExistingOutput::skip, {}).earlier(); });
}

/// Writes the entries as a run does that skips all of its inputs.
void write_again(const std::filesystem::path& target, const app::ReportEntries& entries) {
  app::ReportFile file(target, app::ExistingOutput::skip, {});
  app::ReportText report = app::report_json({}, std::nullopt, {}, &entries);
  require(report.entries.size() == entries.size(), "an entry is lost");
  file.commit(report);
}

/// Makes the pages that show an entry of an earlier run.
void show(const std::string& entry) {
  const auto json = nlohmann::ordered_json::parse(entry);
  static_cast<void>(app::folder_page("run", {app::folder_line(json, "page.html")}));
  static_cast<void>(app::run_page(json, {}));
}

}  // namespace

void fuzz_report(Bytes input) {
  static const test::TemporaryFolder folder;
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  const std::filesystem::path target = folder / "report.json";
  const std::string text(text_of(input));
  if (text.starts_with('!'))
    leave_entry(target, text.substr(1));
  else
    folder.write("report.json", text);
  const auto entries = entries_of(target);
  if (!entries) return;
  for (const auto& [name, entry] : *entries) {
    static_cast<void>(app::reports_no_faces(entry));
    static_cast<void>(app::reports_damage(entry));
    show(entry);
  }
  write_again(target, *entries);
  const auto again = entries_of(target);
  require(again && again->size() == entries->size(), "a run can't continue its own report");
  write_again(target, *again);
  require(entries_of(target) == again, "entries of an earlier run change");
}

}  // namespace facepipe::fuzz
