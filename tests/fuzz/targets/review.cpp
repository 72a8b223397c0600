// The page of a review sends requests. Whatever they ask for, the edit file and the log stay valid,
// and a later review continues them.
//
// Each line of the input is the body of a request. "$" stands for the number of the tracks' state,
// which a page learns from the server.
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/review/review_session.h"
#include "tests/app/review/tracks_of_review.h"
#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::fuzz {
namespace {

using nlohmann::json;

/// Nothing is saved in the background, so that a run doesn't depend on time.
constexpr std::chrono::milliseconds kNever = std::chrono::hours(1);
constexpr int kMostRequests = 32;

app::VideoFacts facts_of_video() {
  app::VideoFacts facts;
  facts.name = "clip.mp4";
  facts.size = test::kReviewPicture;
  facts.time_base = {1, 25};
  facts.last_pts = 100;
  return facts;
}

std::int64_t revision_of(const app::ReviewSession& session) {
  return json::parse(session.tracks_json()).at("revision");
}

void send(app::ReviewSession& session, std::string request) {
  const std::size_t mark = request.find('$');
  if (mark != std::string::npos) request.replace(mark, 1, std::to_string(revision_of(session)));
  try {
    require(json::parse(session.change(request)).is_object(), "the answer isn't JSON");
  } catch (const app::RefusedChange& refused) {
    require(std::string_view(refused.what()).size() <= kLongestMessage, "the message is long");
  }
}

}  // namespace

void fuzz_review(Bytes input) {
  static const test::TemporaryFolder folder;
  static const app::VideoFacts facts = facts_of_video();
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  const track::TrackFile found = test::three_tracks();
  const app::ReviewFiles files{folder / "t.json", folder / "clip.edits.json", "Ada"};
  write_track_file(found, files.tracks, ExistingTarget::refuse);

  Pieces pieces(input);
  {
    app::ReviewSession session(files, facts, found.input, kNever);
    for (int i = 0; !pieces.empty() && i < kMostRequests; ++i)
      send(session, std::string(pieces.line()));
    require(json::parse(session.boxes_json(-1000, 1000, 0)).is_object(), "the boxes aren't JSON");
    session.finish();
  }
  require(track::read_track_file(files.edits).input == found.input, "the input has changed");
  app::ReviewSession session(files, facts, found.input, kNever);
  session.finish();
}

}  // namespace facepipe::fuzz
