#include "app/review/rendering.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/foreign_json.h"
#include "app/output/text.h"
#include "app/run/file_hashes.h"
#include "app/run/pipeline_run.h"
#include "app/verify/verify.h"
#include "core/error.h"
#include "detector/facts.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

/// A run with these exit codes has made the whole video.
bool has_made_video(int code) {
  return code == kExitDone || code == kExitDamaged || code == kExitLeak;
}

// A finding in the video is weak if it scores less than this on the usual scale. In three reviewed
// clips, 180 weak findings were looked at, and none of them showed a face.
constexpr float kClearFinding = 0.2F;

/// Returns how sure it is on the usual scale that the finding shows a face, 0..1. A face of the
/// edit file that can still be seen is sure, and so is what another picture of the file shows. What
/// only the hidden video shows may come from the hiding itself.
float usual_score(const verify::Finding& finding, const ScoreScales& scales) {
  if (finding.kind == verify::FindingKind::only_there) return 0;
  if (finding.source != verify::FindingSource::detection || !finding.place.empty()) return 1;
  return scales.of(finding.clearest.found_class).usual(finding.best_score);
}

/// Counts the findings of a verification.
struct FindingCounts {
  std::size_t clear = 0;
  std::size_t weak = 0;
  std::size_t declined = 0;  ///< a person has decided to show what is there
};

std::string result_text(const FindingCounts& counts, int code) {
  std::string text;
  if (counts.clear > 0)
    text = "places to look at: " + std::to_string(counts.clear);
  else if (counts.weak + counts.declined > 0)
    text = "verified: no clear face was found";
  else
    return code == kExitDone ? "verified: no face was found"
                             : "verified: exit code " + std::to_string(code);
  if (counts.weak > 0) text += "; weaker places: " + std::to_string(counts.weak);
  if (counts.declined > 0)
    text += "; places that you have decided to show: " + std::to_string(counts.declined);
  return text;
}

/// Returns a JSON list of JSON texts.
std::string list_of(std::span<const std::string> texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() == 1 ? "" : ",") + text;
  return list + "]";
}

}  // namespace

Rendering::Rendering(const ReviewOptions& options, ReviewSession& session, const VideoFacts& facts)
    : options_(options), session_(session), facts_(facts) {}

std::string_view Rendering::name_of(State state) {
  constexpr std::array<std::string_view, 6> kNames{"none", "hiding",  "verifying",
                                                   "done", "stopped", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

Rendering::Order Rendering::order_of(std::string_view request) {
  const Json asked = foreign_json(request);
  if (!asked.is_object()) throw RefusedChange("the page's request is not a JSON object");
  const Json depth = asked.value("verify", Json("full"));
  Order order;
  if (depth == "none")
    order.depth = Depth::none;
  else if (depth == "quick")
    order.depth = Depth::quick;
  else if (depth != "full")
    throw RefusedChange("the page's request is wrong: verify is not full, quick or none");
  order.replaces = asked.value("replace", Json(false)) == true;
  return order;
}

void Rendering::order(std::string_view request) {
  const Order wanted = order_of(request);
  const std::scoped_lock lock(mutex_);
  if (order_) throw RefusedChange("facepipe already hides this video");
  order_ = wanted;
  stop_ = std::stop_source();
  state_ = State::hiding;
  progress_ = {};
  message_.clear();
  ordered_.notify_all();
}

void Rendering::stop() {
  const std::scoped_lock lock(mutex_);
  if (order_) stop_.request_stop();
}

bool Rendering::is_under_way() const {
  const std::scoped_lock lock(mutex_);
  return order_.has_value();
}

std::string Rendering::state_json() const {
  const std::scoped_lock lock(mutex_);
  return Json{{"state", name_of(state_)},
              {"frames", progress_.frames},
              {"expected", progress_.expected_frames},
              {"fps", progress_.fps},
              {"message", utf8(message_)},
              {"output", utf8(output_)},
              {"exit_code", exit_code_},
              {"findings", findings_count_}}
      .dump();
}

std::string Rendering::findings_json() const {
  const std::scoped_lock lock(mutex_);
  return findings_;
}

bool Rendering::wait_for_order(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  return ordered_.wait(lock, ended, [this] { return order_.has_value(); }) &&
         !ended.stop_requested();
}

bool Rendering::carry_out(const std::stop_token& ended) {
  Order order;
  std::stop_source stop;
  {
    const std::scoped_lock lock(mutex_);
    order = *order_;
    stop = stop_;
  }
  const std::stop_callback with_review(ended, [&] { stop.request_stop(); });
  const auto failure = attempt({}, [&] { work(order, stop.get_token()); });
  const std::scoped_lock lock(mutex_);
  order_.reset();
  if (stop.stop_requested() && state_ != State::done) {
    state_ = State::stopped;
    message_ = "stopped";
    return !ended.stop_requested();
  }
  if (failure) {
    state_ = State::failed;
    message_ = failure->message;
  }
  return true;
}

void Rendering::work(const Order& order, const std::stop_token& stop) {
  const std::filesystem::path hidden = hide(order, stop);
  if (hidden.empty() || stop.stop_requested()) return;
  if (order.depth == Depth::none)
    end(State::done, "hidden, but not verified");
  else
    verify_video(hidden, order.depth, stop);
}

/// Makes the hidden video, and returns its name; empty if it was stopped. Throws Error.
std::filesystem::path Rendering::hide(const Order& order, const std::stop_token& stop) {
  begin(State::hiding);
  session_.save();
  RunOptions options = options_.hide;
  if (order.replaces) options.existing = ExistingOutput::overwrite;
  PlannedVideo planned = planned_video(options, stop);
  // The review may replace the files that it has made itself.
  if (!planned.error.empty() && made_ && identity_of(planned.path) == made_) {
    options.existing = ExistingOutput::overwrite;
    planned = planned_video(options, stop);
  }
  if (!planned.error.empty()) throw Error(ErrorKind::output, planned.error);
  {
    const std::scoped_lock lock(mutex_);
    output_ = planned.path.string();
  }
  std::mutex failed_mutex;
  std::string failed;
  const int code = run_with_pipeline(
      options, stop,
      {.progress = [this](const pipeline::Progress& progress) { update(progress); },
       .failed =
           [&](const std::string& message) {
             const std::scoped_lock lock(failed_mutex);
             failed = message;
           }});
  if (stop.stop_requested()) return {};
  if (!has_made_video(code))
    throw Error(ErrorKind::internal,
                failed.empty() ? "hiding ended with exit code " + std::to_string(code) : failed);
  made_ = identity_of(planned.path);
  session_.note({{"action", "rendered"},
                 {"output", utf8(planned.path.string())},
                 {"output_sha256", hash_if_file(planned.path.string(), stop)},
                 {"exit_code", code}});
  const std::scoped_lock lock(mutex_);
  exit_code_ = code;
  return planned.path;
}

void Rendering::verify_video(const std::filesystem::path& hidden, Depth depth,
                             const std::stop_token& stop) {
  begin(State::verifying);
  VerifyOptions options = options_.verify;
  options.original = options_.input;
  options.hidden = hidden.string();
  options.tracks = options_.edits;
  options.quick = depth == Depth::quick;
  const Verified verified = compare_videos(
      options, [this](const pipeline::Progress& progress) { update(progress); }, stop);
  const DeclinedPlaces declined = session_.declined_places();
  const ScoreScales scales = detector::scales_of(verified.model.classes());
  std::vector<std::string> clear;
  std::vector<std::string> weak;
  FindingCounts counts;
  for (const verify::Finding& finding : verified.result.findings) {
    if (finding.kind == verify::FindingKind::kept) continue;
    const float score = usual_score(finding, scales);
    if (score < verify::kSurelyFace && is_declined(finding, declined))
      ++counts.declined;
    else if (score < kClearFinding)
      weak.push_back(json_of(finding, true));
    else
      clear.push_back(json_of(finding, false));
  }
  counts.clear = clear.size();
  counts.weak = weak.size();
  std::ranges::move(weak, std::back_inserter(clear));
  const int code = verified.result.exit_code;
  session_.note({{"action", "verified"},
                 {"output", utf8(hidden.string())},
                 {"findings", counts.clear + counts.weak},
                 {"findings_declined", counts.declined},
                 {"exit_code", code}});
  {
    const std::scoped_lock lock(mutex_);
    findings_ = list_of(std::span(clear).first(std::min(clear.size(), kMostFindingsShown)));
    findings_count_ = clear.size();
    exit_code_ = code;
  }
  end(State::done, result_text(counts, code));
}

void Rendering::begin(State state) {
  const std::scoped_lock lock(mutex_);
  state_ = state;
  progress_ = {};
  findings_ = "[]";
  findings_count_ = 0;
}

void Rendering::end(State state, const std::string& message) {
  const std::scoped_lock lock(mutex_);
  state_ = state;
  message_ = message;
}

void Rendering::update(const pipeline::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  progress_ = progress;
}

/// Returns the box at its stamp in the input.
track::FileBox Rendering::box_of(const verify::FoundBox& found) const {
  const double stamp =
      (found.time_s + facts_.origin_s) * facts_.time_base.den / facts_.time_base.num;
  return {std::llround(stamp), found.box};
}

/// Returns whether a person has already decided to show what is at the places of the finding.
bool Rendering::is_declined(const verify::Finding& finding, const DeclinedPlaces& declined) const {
  if (!finding.place.empty() || finding.source != verify::FindingSource::detection) return false;
  std::vector<track::FileBox> boxes;
  boxes.reserve(finding.boxes.size());
  for (const verify::FoundBox& found : finding.boxes) boxes.push_back(box_of(found));
  return declined.cover(boxes);
}

std::string Rendering::json_of(const verify::Finding& finding, bool is_weak) const {
  const auto key = [this](const verify::FoundBox& found) {
    const auto [pts, box, state] = box_of(found);
    return Json{pts, box.x1, box.y1, box.x2, box.y2};
  };
  Json json{{"kind", verify::name_of(finding.kind)},
            {"from_s", finding.first_s},
            {"to_s", finding.last_s},
            {"score", finding.best_score},
            {"place", utf8(finding.place)},
            {"weak", is_weak},
            {"at", key(finding.clearest)},
            {"keys", Json::array()}};
  const std::size_t step = finding.boxes.size() / kMostKeysOfFinding + 1;
  for (std::size_t i = 0; i < finding.boxes.size(); i += step)
    json["keys"].push_back(key(finding.boxes[i]));
  return json.dump();
}

}  // namespace facepipe::app
