#include "app/review/log_chain.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/output/foreign_json.h"
#include "core/error.h"
#include "core/files/file_identity.h"
#include "core/files/sha256.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHashDigits = 64;
// A line about all tracks of an edit file is the longest line, and is shorter than this.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 26;

std::string text_in(const Json& entry, const char* name) {
  const Json value = entry.value(name, Json());
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

std::filesystem::path log_of(const std::filesystem::path& edits) {
  std::filesystem::path log = edits;
  return log.replace_extension(".log.jsonl");
}

LogChain::LogChain() : last_hash_(kHashDigits, '0') {}

Json LogChain::add(std::string_view line) {
  const std::string name = "line " + std::to_string(lines_ + 1);
  if (line.size() > kMostLineBytes) throw Error(ErrorKind::input, name + " is too long");
  Json entry = foreign_json(line);
  if (!entry.is_object() || entry.value("line", Json()) != lines_ + 1 ||
      entry.value("previous", Json()) != last_hash_)
    throw Error(ErrorKind::input, name + " doesn't continue the log: somebody has changed it");
  add_own(line);
  return entry;
}

void LogChain::add_own(std::string_view line) {
  ++lines_;
  last_hash_ = sha256_hex(line);
}

LogChain read_log(const std::filesystem::path& log, const std::function<void(const Json&)>& take) {
  std::ifstream stream(log, std::ios::binary);
  if (!stream) throw Error(ErrorKind::input, "can't be read");
  LogChain chain;
  std::string line;
  while (std::getline(stream, line) && !stream.eof()) take(chain.add(line));
  if (stream.bad()) throw Error(ErrorKind::input, "can't be read");
  return chain;
}

LogFacts facts_of_log(const std::filesystem::path& edits, const std::string& edits_sha256) {
  LogFacts facts;
  const std::filesystem::path log = log_of(edits);
  if (!identity_of(log)) return facts;
  facts.log = log.string();
  std::string saved;  // the hash of the edit file that the review saved last
  try {
    const LogChain chain = read_log(log, [&](const Json& entry) {
      ++facts.lines;
      if (std::string name = text_in(entry, kReviewer); !name.empty())
        facts.reviewers.insert(std::move(name));
      if (text_in(entry, "action") == "saved") saved = text_in(entry, kEditsSha256);
    });
    if (!edits_sha256.empty() && saved == edits_sha256)
      facts.last_sha256 = chain.last_hash();
    else
      facts.fault = "the edit file is not the one that the review has saved last";
  } catch (const Error& error) {
    facts.fault = error.what();
  }
  return facts;
}

}  // namespace facepipe::app
