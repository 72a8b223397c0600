#include "app/output/report_file.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "app/output/input_lines.h"
#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool is_entry(const Json& json) {
  return json.is_object() && json.contains("file") && json["file"].is_string();
}

}  // namespace

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
  const Json report = Json::parse(stream, nullptr, false);
  bool good = report.is_array();
  for (const Json& entry : report) good = good && is_entry(entry);
  if (!good)
    throw Error(ErrorKind::output, file_.target().string() +
                                       ": exists already, and is no report that can be gone on "
                                       "with (--overwrite replaces it)");
  for (const Json& entry : report) enter(entry);
}

void ReportFile::enter(const Json& entry) {
  earlier_[entry["file"].get<std::string>()] = entry.dump();
}

/// What was made later counts.
void ReportFile::read_leftovers() {
  for (const Leftover& leftover : file_.lock()->leftovers()) {
    std::ifstream stream(leftover.path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const OutputPart& part : leftover.parts) {
      const auto begin = static_cast<std::size_t>(part.begin);
      if (begin > text.size()) continue;
      const Json entry = Json::parse(
          text.substr(begin, static_cast<std::size_t>(part.end - part.begin)), nullptr, false);
      if (is_entry(entry)) enter(entry);
    }
  }
}

void ReportFile::add(const std::string& name, const std::string& entry) {
  OutputLock* const lock = file_.lock();
  if (lock == nullptr) return;
  const std::int64_t begin = file_.size();
  write(entry + '\n');
  lock->completed({name, begin, file_.size()});
}

void ReportFile::commit(const std::string& json) {
  std::vector<fs::path> superseded;
  if (const OutputLock* const lock = file_.lock()) {
    for (const Leftover& leftover : lock->leftovers())
      if (!leftover.kept) superseded.push_back(leftover.path);
    file_.begin_again();
  }
  write(json);
  file_.commit(superseded);
}

void ReportFile::write(const std::string& text) {
  if (const int code = file_.write(std::as_bytes(std::span(text))); code != 0) file_.fail(code);
}

}  // namespace facepipe
