#include "app/review/review_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/review/decision_log.h"
#include "core/error.h"
#include "core/files/sha256.h"
#include "tests/app/review/tracks_of_review.h"
#include "tests/support/expect_error.h"
#include "tests/support/killed_program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using app::RefusedChange;
using app::ReviewSession;
using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;

/// No test waits for this; save() and finish() save at once.
constexpr milliseconds kLong{60'000};

class ReviewSessions : public testing::Test {
 protected:
  ReviewSessions() {
    facts_.name = "clip.mp4";
    facts_.size = kReviewPicture;
    facts_.time_base = {1, 25};
    facts_.last_pts = 100;
    track::write_track_file(three_tracks(), tracks(), ExistingTarget::refuse);
  }
  [[nodiscard]] fs::path tracks() const { return folder_ / "t.json"; }
  [[nodiscard]] fs::path edits() const { return folder_ / "clip.edits.json"; }
  [[nodiscard]] fs::path log() const { return folder_ / "clip.edits.log.jsonl"; }

  [[nodiscard]] std::unique_ptr<ReviewSession> open(milliseconds pause = kLong) const {
    return std::make_unique<ReviewSession>(
        app::ReviewFiles{tracks(), edits(), "Ada \"<b>"}, facts_,
        track::TrackFileInput{std::string(64, 'a'), 0, kReviewPicture, {1, 25}}, pause);
  }
  static json change(ReviewSession& session, json request) {
    if (!request.contains("revision"))
      request["revision"] = json::parse(session.tracks_json())["revision"];
    return json::parse(session.change(request.dump()));
  }
  [[nodiscard]] std::vector<json> log_lines() const {
    std::ifstream stream(log());
    std::vector<json> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }

  TemporaryFolder folder_;
  app::VideoFacts facts_;
};

TEST_F(ReviewSessions, TellFactsAndARowForEachTrack) {
  const json all = json::parse(open()->tracks_json());
  EXPECT_EQ(all["name"], "clip.mp4");
  EXPECT_EQ(all["width"], 320);
  ASSERT_EQ(all["tracks"].size(), 3U);
  // id, action, by hand, from, to, score, size, held, ends inside, looked at, boxes, x, y, covered
  // by
  EXPECT_EQ(all["tracks"][0], json::parse("[0,0,0,0,3,0.5,20,0,1,0,4,52,65,null]"));
  EXPECT_EQ(all["tracks"][1][1], 2);
}

TEST_F(ReviewSessions, TellTheBoxesOfARange) {
  const auto session = open();
  EXPECT_EQ(json::parse(session->boxes_json(1, 2, 0))["tracks"],
            json::parse("[[0,1,41,50,61,80,0,2,42,50,62,80,0],[1,2,42,50,62,80,0],"
                        "[5,1,41,50,61,80,0]]"));
  // The suggestion has a score of 0.2.
  EXPECT_EQ(json::parse(session->boxes_json(3, 3, 0.3F))["tracks"],
            json::parse("[[0,3,43,50,63,80,0]]"));
  EXPECT_TRUE(json::parse(session->boxes_json(50, 60, 0))["tracks"].empty());
  change(*session,
         {{"action", "draw"}, {"boxes", {{10, 0, 0, 20, 20}, {90, 0, 0, 20, 20}}}, {"end", 95}});
  EXPECT_EQ(json::parse(session->boxes_json(50, 60, 0))["tracks"][0][0], 6);
}

TEST_F(ReviewSessions, WriteTheEditFileAndNeverTheTracks) {
  const std::string before = sha256_of_file(tracks());
  const auto session = open();
  const json answer = change(*session, {{"action", "hide"}, {"tracks", {1}}});
  EXPECT_EQ(answer["tracks"].size(), 1U);
  EXPECT_EQ(answer["tracks"][0][1], 0);
  EXPECT_FALSE(json::parse(session->saving_json())["saved"]);
  session->save();
  EXPECT_TRUE(json::parse(session->saving_json())["saved"]);
  EXPECT_EQ(track::read_track_file(edits()).tracks[1].action, track::TrackAction::hide);
  EXPECT_EQ(sha256_of_file(tracks()), before);
}

TEST_F(ReviewSessions, SaveBySelfAfterAPause) {
  const auto session = open(milliseconds(20));
  change(*session, {{"action", "keep"}, {"tracks", {0}}});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!json::parse(session->saving_json())["saved"] && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(track::read_track_file(edits()).tracks[0].action, track::TrackAction::keep);
}

TEST_F(ReviewSessions, GoOnWithTheEditFile) {
  {
    const auto session = open();
    change(*session, {{"action", "hide"}, {"tracks", {1}}});
    change(*session, {{"action", "keep"}, {"tracks", {0}}});
    change(*session, {{"action", "undo"}});
    session->finish();
  }
  const json rows = json::parse(open()->tracks_json())["tracks"];
  EXPECT_EQ(rows[0][1], 0);  // still hidden
  EXPECT_EQ(rows[0][9], 0);  // and not looked at
  EXPECT_EQ(rows[1][1], 0);
  EXPECT_EQ(rows[1][9], 1);
}

TEST_F(ReviewSessions, SurviveAKilledProgram) {
  in_killed_program([&] {
    const auto session = open();
    change(*session, {{"action", "hide"}, {"tracks", {1}}});
    session->save();
    change(*session, {{"action", "hide"}, {"tracks", {5}}});
    _exit(0);
  });
  const track::TrackFile file = track::read_track_file(edits());
  EXPECT_EQ(file.tracks[1].action, track::TrackAction::hide);
  EXPECT_EQ(file.tracks[2].action, track::TrackAction::keep);
  const json rows = json::parse(open()->tracks_json())["tracks"];
  EXPECT_EQ(rows[1][9], 1);
  EXPECT_EQ(rows[2][9], 0);  // the decision was logged, but the edit file doesn't have it
  const std::vector<json> lines = log_lines();
  ASSERT_EQ(lines.back()["action"], "closed");
  EXPECT_EQ(lines[lines.size() - 2]["decisions_not_saved"], 1);
}

/// Decides and saves, again and again, until the process is killed.
[[noreturn]] void save_for_ever(ReviewSession& session,
                                const std::function<void(const char*)>& decide) {
  while (true)
    for (const char* const action : {"hide", "keep", "suggest"}) {
      decide(action);
      session.save();
    }
}

TEST_F(ReviewSessions, SurviveBeingKilledWhileTheySave) {
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto session = open();
      save_for_ever(*session, [&](const char* action) {
        change(*session, {{"action", action}, {"tracks", {1}}});
      });
    }
    std::this_thread::sleep_for(milliseconds(15 + 3 * round));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    if (fs::exists(edits())) {
      EXPECT_EQ(track::read_track_file(edits()).tracks.size(), 3U) << round;
    }
    EXPECT_NO_THROW(open()->finish()) << round;  // the log's chain is intact
  }
  EXPECT_EQ(track::read_track_file(edits()).tracks.size(), 3U);
}

TEST_F(ReviewSessions, DoAllThatThePageAsksFor) {
  const auto session = open();
  const json drawn =
      change(*session, {{"action", "draw"}, {"boxes", {{10, 0, 0, 20, 20}}}, {"end", 20}});
  EXPECT_EQ(drawn["tracks"][0][0], 6);
  change(*session, {{"action", "key"}, {"track", 6}, {"box", {15, 30, 30, 60, 60}}});
  change(*session, {{"action", "begin"}, {"track", 6}, {"at", 12}});
  change(*session, {{"action", "end"}, {"track", 6}, {"at", 18}});
  change(*session, {{"action", "split"}, {"track", 6}, {"at", 16}});
  const json removed = change(*session, {{"action", "remove"}, {"tracks", {7}}});
  EXPECT_EQ(removed["removed"], json({7}));
  EXPECT_EQ(change(*session, {{"action", "undo"}})["tracks"][0][0], 7);
  EXPECT_EQ(change(*session, {{"action", "redo"}})["removed"], json({7}));
  change(*session, {{"action", "suggest"}, {"tracks", {0, 1, 5}}});
  session->finish();
  const track::TrackFile file = track::read_track_file(edits());
  ASSERT_EQ(file.tracks.size(), 4U);
  EXPECT_EQ(file.tracks[3].start_pts, 12);
  EXPECT_EQ(file.tracks[3].end_pts, 15);
}

TEST_F(ReviewSessions, RefuseWhatIsNotARequest) {
  const auto session = open();
  const std::string before = session->tracks_json();
  for (const char* const request :
       {"", "[]", "{", "{}", R"({"revision":1})", R"({"revision":"1","action":"undo"})",
        R"({"revision":1,"action":7})", R"({"revision":1,"action":"burn","track":0,"at":1})",
        R"({"revision":1,"action":"hide"})", R"({"revision":1,"action":"hide","tracks":[]})",
        R"({"revision":1,"action":"hide","tracks":[1.5]})",
        R"({"revision":1,"action":"hide","tracks":[99999999999999999999]})",
        R"({"revision":1,"action":"hide","tracks":{"0":1}})",
        R"({"revision":1,"action":"draw","boxes":[[1,2,3,4]],"end":5})",
        R"({"revision":1,"action":"draw","boxes":[[1,2,3,1e300,4]],"end":5})",
        R"({"revision":1,"action":"draw","boxes":[["1",2,3,9,9]],"end":5})",
        R"({"revision":1,"action":"key","track":0,"box":[1,2,3,9,9]})",
        R"({"revision":1,"action":"split","track":0})", R"({"revision":1,"action":"undo"})"})
    EXPECT_THROW(static_cast<void>(session->change(request)), RefusedChange) << request;
  EXPECT_EQ(session->tracks_json(), before);
}

TEST_F(ReviewSessions, RefuseARequestOfAnOlderState) {
  const auto session = open();
  change(*session, {{"action", "hide"}, {"tracks", {1}}, {"revision", 1}});
  EXPECT_THROW(change(*session, {{"action", "keep"}, {"tracks", {1}}, {"revision", 1}}),
               RefusedChange);
}

TEST_F(ReviewSessions, RefuseTracksOfAnotherInput) {
  fs::remove(tracks());
  track::write_track_file(three_tracks(std::string(64, 'b')), tracks(), ExistingTarget::refuse);
  expect_error(ErrorKind::usage, "another input", [&] { static_cast<void>(open()); });
}

TEST_F(ReviewSessions, DoNotReplaceAnEditFileThatSomebodyElseHasChanged) {
  const auto session = open();
  session->save();
  std::ofstream(edits(), std::ios::app) << "\n";
  change(*session, {{"action", "hide"}, {"tracks", {1}}});
  expect_error(ErrorKind::output, "another program has changed", [&] { session->save(); });
}

TEST_F(ReviewSessions, TellWhyTheyCannotSave) {
  const auto session = open(milliseconds(1));
  session->save();
  fs::remove(edits());
  fs::create_directory(edits());
  change(*session, {{"action", "hide"}, {"tracks", {1}}});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (json::parse(session->saving_json())["error"].get<std::string>().empty() &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_THAT(json::parse(session->saving_json())["error"].get<std::string>(),
              HasSubstr(edits().string()));
  fs::remove(edits());
}

TEST_F(ReviewSessions, LogWhoDecidedWhat) {
  {
    const auto session = open();
    change(*session, {{"action", "hide"}, {"tracks", {0, 1}}});
    change(*session, {{"action", "undo"}});
    change(*session, {{"action", "draw"}, {"boxes", {{10, 0, 0, 20, 20}}}, {"end", 20}});
    session->finish();
  }
  const std::vector<json> lines = log_lines();
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0]["action"], "opened");
  EXPECT_EQ(lines[0]["reviewer"], "Ada \"<b>");
  EXPECT_EQ(lines[0]["input_sha256"], std::string(64, 'a'));
  EXPECT_EQ(lines[0]["tracks_sha256"], sha256_of_file(tracks()));
  EXPECT_EQ(lines[1]["changes"], json::parse(R"([[0,"hide","hide"],[1,"suggest","hide"]])"));
  EXPECT_EQ(lines[1]["looked_at"], json({0, 1}));
  EXPECT_EQ(lines[2]["changes"], json::parse(R"([[0,"hide","hide"],[1,"hide","suggest"]])"));
  EXPECT_EQ(lines[2]["not_looked_at"], json({0, 1}));
  EXPECT_TRUE(lines[3]["changes"][0][1].is_null());
  EXPECT_EQ(lines[3]["changes"][0][2]["boxes"], json::parse("[[10,0.0,0.0,20.0,20.0]]"));
  EXPECT_EQ(lines[4]["edits_sha256"], sha256_of_file(edits()));
  EXPECT_EQ(lines[5]["action"], "closed");
}

class DecisionLogs : public testing::Test {
 protected:
  [[nodiscard]] fs::path path() const { return folder_ / "a.log.jsonl"; }
  void fill() const {
    app::DecisionLog log(path());
    for (const char* const action : {"opened", "hide", "saved"}) log.add({{"action", action}});
  }
  [[nodiscard]] std::string text() const {
    std::ifstream stream(path());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void replace(const std::string& text) const { std::ofstream(path()) << text; }

  TemporaryFolder folder_;
};

TEST_F(DecisionLogs, ChainTheirLinesByHashes) {
  fill();
  std::string before(64, '0');
  std::int64_t number = 0;
  std::ifstream stream(path());
  for (std::string line; std::getline(stream, line); before = sha256_hex(line)) {
    EXPECT_EQ(json::parse(line)["previous"], before);
    EXPECT_EQ(json::parse(line)["line"], ++number);
  }
  EXPECT_EQ(app::DecisionLog(path()).last_hash(), before);
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(DecisionLogs, NoticeEveryChange) {
  fill();
  const std::string whole = text();
  const std::size_t second = whole.find('\n') + 1;
  const std::size_t third = whole.find('\n', second) + 1;
  std::string other = whole;
  other.replace(other.find("hide"), 4, "keep");
  for (const std::string& changed :
       {other, whole.substr(second), whole.substr(0, second) + whole.substr(third),
        whole.substr(0, third) + whole.substr(second), "x\n" + whole}) {
    replace(changed);
    expect_error(ErrorKind::input, "somebody has changed it",
                 [&] { const app::DecisionLog log(path()); });
    EXPECT_EQ(text(), changed);
  }
}

TEST_F(DecisionLogs, AreNotOfManyLevels) {
  constexpr std::size_t kLevels = 1'000'000;
  replace(R"({"line":)" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}\n");
  expect_error(ErrorKind::input, "doesn't continue the log",
               [&] { const app::DecisionLog log(path()); });
}

TEST_F(DecisionLogs, RemoveWhatAKilledProgramHasLeft) {
  fill();
  const std::string whole = text();
  replace(whole + R"({"action": "hi)");
  {
    app::DecisionLog log(path());
    EXPECT_EQ(log.lines(), 3);
    log.add({{"action", "keep"}});
  }
  EXPECT_EQ(text().substr(0, whole.size()), whole);
  EXPECT_EQ(app::DecisionLog(path()).lines(), 4);
}

TEST_F(DecisionLogs, KnowWhatWasLookedAtWhenTheEditFileWasSaved) {
  {
    app::DecisionLog log(path());
    log.add({{"action", "hide"}, {"tracks", {1, 2}}, {"looked_at", {1, 2}}});
    log.add({{"action", "undo"}, {"tracks", {2}}, {"not_looked_at", {2}}});
    log.add({{"action", "saved"}});
    log.add({{"action", "hide"}, {"tracks", {3}}, {"looked_at", {3}}});
  }
  const app::DecisionLog log(path());
  EXPECT_EQ(log.looked_at(), std::set<std::int64_t>{1});
  EXPECT_EQ(log.unsaved(), 1);
}

TEST_F(DecisionLogs, BelongToOneReviewAtATime) {
  const app::DecisionLog log(path());
  expect_error(ErrorKind::output, "another review", [&] { const app::DecisionLog second(path()); });
}

TEST_F(DecisionLogs, AreRegularFiles) {
  fs::create_directory(path());
  expect_error(ErrorKind::output, "not a regular file",
               [&] { const app::DecisionLog log(path()); });
}

}  // namespace
}  // namespace facepipe::test
