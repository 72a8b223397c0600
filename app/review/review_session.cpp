#include "app/review/review_session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "app/failure.h"
#include "app/output/foreign_json.h"
#include "app/output/text.h"
#include "app/review/track_rows.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "core/files/sha256.h"
#include "core/threads.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using track::FileBox;
using track::TrackAction;

constexpr std::size_t kMostLoggedBoxes = 64;  ///< of one state of a track

[[noreturn]] void refuse_request(const std::string& reason) {
  throw RefusedChange("the page's request is wrong: " + reason);
}

const Json& member_of(const Json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) refuse_request(std::string("it has no ") + name);
  return *found;
}

std::int64_t integer_of(const Json& value, const char* name) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) refuse_request(std::string(name) + " is not an integer");
  return value.get<std::int64_t>();
}

std::int64_t integer_in(const Json& request, const char* name) {
  return integer_of(member_of(request, name), name);
}

std::vector<std::int64_t> ids_in(const Json& request) {
  const Json& list = member_of(request, "tracks");
  if (!list.is_array() || list.empty() || list.size() > track::kMostFileTracks)
    refuse_request("tracks are not a list of ids");
  std::vector<std::int64_t> ids;
  for (const Json& id : list) ids.push_back(integer_of(id, "an id"));
  return ids;
}

float edge_of(const Json& value) {
  if (!value.is_number()) refuse_request("an edge is not a number");
  const double edge = value.get<double>();
  // A box that a person draws is at most a little outside of the picture.
  constexpr double kFar = 1e6;
  if (!(std::abs(edge) <= kFar)) refuse_request("an edge is out of range");
  return static_cast<float>(edge);
}

/// Reads [pts, x1, y1, x2, y2].
FileBox key_of(const Json& value) {
  constexpr std::size_t kValues = 5;
  if (!value.is_array() || value.size() != kValues)
    refuse_request("a box is not [pts, x1, y1, x2, y2]");
  return {integer_of(value[0], "pts"),
          {edge_of(value[1]), edge_of(value[2]), edge_of(value[3]), edge_of(value[4])}};
}

std::vector<FileBox> keys_in(const Json& request) {
  const Json& list = member_of(request, "boxes");
  if (!list.is_array()) refuse_request("boxes are not a list");
  std::vector<FileBox> keys;
  for (const Json& value : list) keys.push_back(key_of(value));
  return keys;
}

/// Describes a state of a track for the log.
Json state_json(const ReviewedTrack& track) {
  Json state{{"action", word_of(track.head.action)},
             {"origin", track.head.origin == track::TrackOrigin::person ? "person" : "detector"},
             {"start_pts", track.head.start_pts},
             {"end_pts", track.head.end_pts}};
  if (track.head.origin == track::TrackOrigin::detector || track.boxes->size() > kMostLoggedBoxes) {
    state["boxes"] = track.boxes->size();
    return state;
  }
  for (const FileBox& box : *track.boxes)
    state["boxes"].push_back({box.pts, box.box.x1, box.box.y1, box.box.x2, box.box.y2});
  return state;
}

/// Returns [id, before, after]. If only the action has changed, before and after are words.
Json change_json(const TrackChange& change) {
  const bool same_boxes = change.before && change.after &&
                          change.before->boxes == change.after->boxes &&
                          change.before->head.start_pts == change.after->head.start_pts &&
                          change.before->head.end_pts == change.after->head.end_pts;
  const auto side = [&](const std::optional<ReviewedTrack>& state) {
    if (!state) return Json();
    return same_boxes ? Json(word_of(state->head.action)) : state_json(*state);
  };
  return {change.id, side(change.before), side(change.after)};
}

bool was_looked_at(const std::optional<ReviewedTrack>& state) { return state && state->looked_at; }

}  // namespace

ReviewedTracks read_reviewed_tracks(const fs::path& path, const VideoFacts& facts,
                                    const track::TrackFileInput& input) {
  track::TrackFile file = track::read_track_file(path);
  if (file.input.sha256 != input.sha256 || file.input.size != input.size ||
      file.input.time_base != input.time_base)
    throw Error(ErrorKind::usage, path.string() +
                                      ": was made for another input: its SHA-256, "
                                      "picture size or time base differs");
  return {std::move(file), facts.last_pts};
}

ReviewSession::ReviewSession(ReviewFiles files, const VideoFacts& facts,
                             const track::TrackFileInput& input,
                             std::chrono::milliseconds save_pause)
    : files_(std::move(files)), facts_(facts), save_pause_(save_pause) {
  std::error_code none;
  const bool resumed = fs::exists(files_.edits, none);
  const fs::path& source = resumed ? files_.edits : files_.tracks;
  known_edits_ = identity_of(files_.edits);
  tracks_ = std::make_unique<ReviewedTracks>(read_reviewed_tracks(source, facts_, input));
  log_ = std::make_unique<DecisionLog>(log_of(files_.edits));
  tracks_->mark_as_looked_at(log_->looked_at());
  begin_log(resumed);
  if (!resumed) revision_ = 1;  // the edit file must be there before anybody hides by it
  saver_ = start_thread([this](const std::stop_token& stop) { save_in_background(stop); });
}

ReviewSession::~ReviewSession() {
  if (saver_.joinable()) static_cast<void>(attempt({}, [this] { finish(); }));
}

/// Writes which files this review works on.
void ReviewSession::begin_log(bool resumed) {
  Json entry{{"action", "opened"},
             {"reviewer", utf8(files_.reviewer)},
             {"input", utf8(facts_.name)},
             {"input_sha256", tracks_->input().sha256}};
  if (!files_.tracks.empty()) entry["tracks_sha256"] = sha256_of_file(files_.tracks);
  if (resumed) entry["edits_sha256"] = sha256_of_file(files_.edits);
  if (log_->unsaved() > 0) entry["decisions_not_saved"] = log_->unsaved();
  log_->add(entry);
}

std::string ReviewSession::tracks_json() const {
  const std::scoped_lock lock(mutex_);
  return tracks_text({facts_, files_.reviewer, files_.edits.string(), revision_}, *tracks_);
}

std::string ReviewSession::boxes_json(std::int64_t from, std::int64_t to, float score) const {
  const std::scoped_lock lock(mutex_);
  std::string text = "{\"revision\":" + std::to_string(revision_) + ",\"tracks\":[";
  std::size_t boxes = 0;
  for (const auto& [id, track] : tracks_->all()) {
    if (track.head.end_pts < from || track.head.start_pts > to) continue;
    if (track.head.action == TrackAction::suggest && track.head.score_max < score) continue;
    const std::size_t length = text.size();
    if (boxes > 0) text += ',';
    const std::size_t more = append_boxes(text, track, from, to);
    if (more == 0) text.resize(length);
    boxes += more;
    if (boxes > kMostBoxesAtOnce) throw RefusedChange("there are too many boxes at these times");
  }
  return text + "]}";
}

std::string ReviewSession::change(std::string_view request) {
  const Json asked = foreign_json(request);
  if (!asked.is_object()) refuse_request("it is not a JSON object");
  const std::scoped_lock lock(mutex_);
  if (integer_in(asked, "revision") != revision_)
    throw RefusedChange("the tracks have changed meanwhile, perhaps in another window");
  const TrackChanges changes = carry_out(asked);
  if (!changes.empty()) {
    ++revision_;
    log(asked, changes);
    changed_.notify_all();
  }
  return answer_to(changes);
}

TrackChanges ReviewSession::carry_out(const Json& request) {
  const Json& named = member_of(request, "action");
  if (!named.is_string()) refuse_request("action is not a word");
  const std::string action = named.get<std::string>();
  for (const TrackAction decided : {TrackAction::hide, TrackAction::keep, TrackAction::suggest})
    if (action == word_of(decided)) return tracks_->decide(ids_in(request), decided);
  if (action == "undo") return tracks_->undo();
  if (action == "redo") return tracks_->redo();
  if (action == "remove") return tracks_->remove(ids_in(request));
  if (action == "draw") return tracks_->draw(keys_in(request), integer_in(request, "end"));
  const std::int64_t id = integer_in(request, "track");
  if (action == "key") {
    const FileBox key = key_of(member_of(request, "box"));
    return tracks_->set_box(id, key.pts, key.box);
  }
  const std::int64_t at = integer_in(request, "at");
  if (action == "begin") return tracks_->begin_at(id, at);
  if (action == "end") return tracks_->end_at(id, at);
  if (action == "split") return tracks_->split(id, at);
  refuse_request("its action is unknown");
}

void ReviewSession::log(const Json& request, const TrackChanges& changes) {
  Json entry{{"action", request["action"]}, {"reviewer", utf8(files_.reviewer)},
             {"tracks", Json::array()},     {"changes", Json::array()},
             {kLookedAt, Json::array()},    {kNotLookedAt, Json::array()}};
  for (const TrackChange& change : changes) {
    entry["tracks"].push_back(change.id);
    entry["changes"].push_back(change_json(change));
    const bool after = was_looked_at(change.after);
    if (after != was_looked_at(change.before))
      entry[after ? kLookedAt : kNotLookedAt].push_back(change.id);
  }
  log_->add(entry);
}

std::string ReviewSession::answer_to(const TrackChanges& changes) const {
  std::string text = "{\"revision\":" + std::to_string(revision_) +
                     ",\"can_undo\":" + (tracks_->can_undo() ? "true" : "false") +
                     ",\"can_redo\":" + (tracks_->can_redo() ? "true" : "false") + ",\"removed\":[";
  bool first = true;
  for (const TrackChange& change : changes)
    if (!change.after) text += (std::exchange(first, false) ? "" : ",") + std::to_string(change.id);
  text += "],\"tracks\":[";
  first = true;
  for (const TrackChange& change : changes) {
    if (!change.after) continue;
    if (!std::exchange(first, false)) text += ',';
    append_row(text, *change.after);
  }
  return text + "]}";
}

std::string ReviewSession::saving_json() const {
  const std::scoped_lock lock(mutex_);
  return "{\"revision\":" + std::to_string(revision_) +
         ",\"saved\":" + (saved_revision_ == revision_ ? "true" : "false") +
         ",\"error\":" + json_string(save_error_) + "}";
}

std::optional<FileBox> ReviewSession::box_for_picture(std::int64_t id, int number) const {
  const std::scoped_lock lock(mutex_);
  const auto found = tracks_->all().find(id);
  if (found == tracks_->all().end()) return std::nullopt;
  return app::box_for_picture(found->second, number);
}

std::vector<FileBox> ReviewSession::boxes_for_pictures() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FileBox> boxes;
  for (const auto& [id, track] : tracks_->all()) boxes.push_back(*app::box_for_picture(track, 0));
  return boxes;
}

DeclinedPlaces ReviewSession::declined_places() const {
  const std::scoped_lock lock(mutex_);
  DeclinedPlaces places;
  for (const auto& [id, track] : tracks_->all()) places.add(track);
  return places;
}

void ReviewSession::note(const Json& entry) {
  const std::scoped_lock lock(mutex_);
  Json whole = entry;
  whole["reviewer"] = utf8(files_.reviewer);
  log_->add(whole);
}

void ReviewSession::save() {
  const std::scoped_lock writing(saving_);
  track::TrackFile file;
  std::int64_t revision = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (saved_revision_ == revision_) return;
    file = tracks_->file();
    revision = revision_;
    log_->sync();  // the log must never know less than the edit file
  }
  if (identity_of(files_.edits) != known_edits_)
    throw Error(ErrorKind::output, files_.edits.string() +
                                       ": another program has changed the edit file; this review "
                                       "doesn't replace it");
  track::write_track_file(file, files_.edits, ExistingTarget::replace);
  known_edits_ = identity_of(files_.edits);
  const std::string hash = sha256_of_file(files_.edits);
  const std::scoped_lock lock(mutex_);
  saved_revision_ = revision;
  save_error_.clear();
  log_->add({{"action", "saved"}, {"reviewer", utf8(files_.reviewer)}, {"edits_sha256", hash}});
}

void ReviewSession::save_in_background(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return saved_revision_ != revision_; })) {
    changed_.wait_for(lock, stop, save_pause_, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    const auto failure = attempt({}, [this] { save(); });
    lock.lock();
    if (!failure) continue;
    save_error_ = failure->message;
    // After a failure, the next try waits for the next decision, or for finish().
    const std::int64_t failed = revision_;
    changed_.wait(lock, stop, [&] { return revision_ != failed; });
  }
}

void ReviewSession::finish() {
  saver_.request_stop();
  if (saver_.joinable()) saver_.join();
  save();
  const std::scoped_lock lock(mutex_);
  log_->add({{"action", "closed"}, {"reviewer", utf8(files_.reviewer)}});
  log_->sync();
}

}  // namespace facepipe::app
