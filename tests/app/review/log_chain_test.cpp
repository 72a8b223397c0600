#include "app/review/log_chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/review/decision_log.h"
#include "core/files/sha256.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using app::facts_of_log;
using app::LogFacts;
using testing::ElementsAre;
using testing::HasSubstr;

class LogsOfEditFiles : public testing::Test {
 protected:
  LogsOfEditFiles() {
    static_cast<void>(folder_.write("a.json", "the edit file"));
    app::DecisionLog log(app::log_of(edits()));
    log.add({{"action", "opened"}, {"reviewer", "Ada"}});
    log.add({{"action", "hide"}, {"reviewer", "Bob"}, {"tracks", {1}}, {"looked_at", {1}}});
    log.add({{"action", "saved"}, {"reviewer", "Bob"}, {"edits_sha256", hash()}});
    log.add({{"action", "closed"}, {"reviewer", "Ada"}});
  }
  [[nodiscard]] fs::path edits() const { return folder_ / "a.json"; }
  [[nodiscard]] fs::path log() const { return folder_ / "a.log.jsonl"; }
  [[nodiscard]] std::string hash() const { return sha256_of_file(edits()); }

  TemporaryFolder folder_;
};

TEST_F(LogsOfEditFiles, NameTheirLastLine) {
  const std::string text = read_file(log());
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  const LogFacts facts = facts_of_log(edits(), hash());
  EXPECT_EQ(facts.fault, "");
  EXPECT_EQ(facts.log, log());
  EXPECT_EQ(facts.lines, 4);
  EXPECT_EQ(facts.last_sha256, sha256_hex(text.substr(last, text.size() - last - 1)));
  EXPECT_THAT(facts.reviewers, ElementsAre("Ada", "Bob"));
}

TEST_F(LogsOfEditFiles, AreNoneIfThereWasNoReview) {
  fs::remove(log());
  const LogFacts facts = facts_of_log(edits(), hash());
  EXPECT_EQ(facts.log, "");
  EXPECT_EQ(facts.fault, "");
  EXPECT_TRUE(app::looked_at_by_log(edits()).empty());
}

TEST_F(LogsOfEditFiles, ProveNothingIfSomebodyHasChangedThem) {
  std::string text = read_file(log());
  text.replace(text.find("Bob"), 3, "Eve");
  std::ofstream(log()) << text;
  const LogFacts facts = facts_of_log(edits(), hash());
  EXPECT_THAT(facts.fault, HasSubstr("line 3 doesn't continue the log"));
  EXPECT_EQ(facts.last_sha256, "");
  EXPECT_EQ(facts.lines, 2);
  expect_error(ErrorKind::input, "a.log.jsonl: line 3 doesn't continue the log",
               [&] { static_cast<void>(app::looked_at_by_log(edits())); });
}

TEST_F(LogsOfEditFiles, ProveNothingAboutAnotherEditFile) {
  const std::string before = hash();
  static_cast<void>(folder_.write("a.json", "another edit file"));
  EXPECT_THAT(facts_of_log(edits(), hash()).fault, HasSubstr("not the one that the review"));
  EXPECT_THAT(facts_of_log(edits(), "").fault, HasSubstr("not the one that the review"));
  EXPECT_EQ(facts_of_log(edits(), before).fault, "");
}

TEST_F(LogsOfEditFiles, MayEndInAnUnfinishedLine) {
  const LogFacts whole = facts_of_log(edits(), hash());
  std::ofstream(log(), std::ios::app) << R"({"action": "hi)";
  EXPECT_EQ(facts_of_log(edits(), hash()).last_sha256, whole.last_sha256);
}

// The system opens this file, and gives an error for its first byte. After an error, the lines that
// were read before would look like a whole log.
TEST_F(LogsOfEditFiles, ProveNothingIfTheyCannotBeRead) {
  fs::remove(log());
  fs::create_symlink("/proc/self/mem", log());
  const LogFacts facts = facts_of_log(edits(), hash());
  EXPECT_EQ(facts.last_sha256, "");
  EXPECT_THAT(facts.fault, HasSubstr("can't be read"));
}

TEST_F(LogsOfEditFiles, TellWhatWasLookedAt) {
  EXPECT_THAT(app::looked_at_by_log(edits()), ElementsAre(1));
}

}  // namespace
}  // namespace facepipe::test
