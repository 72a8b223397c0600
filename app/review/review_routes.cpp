#include "app/review/review_routes.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "app/review/review_page.h"

namespace facepipe::app {
namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kJpeg = "image/jpeg";
constexpr std::string_view kThumb = "/thumb/";
constexpr std::int64_t kMostPercent = 100;
constexpr std::int64_t kUsualSide = 960;

HttpAnswer malformed(const std::string& what) { return refusal(400, what); }

HttpAnswer json_answer(std::string text) { return {.type = kJson, .body = std::move(text)}; }

std::optional<FrameChoice> choice_of(const HttpRequest& request) {
  const auto found = request.query.find("choice");
  if (found == request.query.end()) return FrameChoice::shown;
  constexpr std::array<std::pair<std::string_view, FrameChoice>, 4> kChoices{
      {{"shown", FrameChoice::shown},
       {"after", FrameChoice::after},
       {"before", FrameChoice::before},
       {"key", FrameChoice::key}}};
  for (const auto& [name, choice] : kChoices)
    if (found->second == name) return choice;
  return std::nullopt;
}

/// The stamp must lie in the video, or not far from it.
bool is_usable(std::int64_t pts, const VideoFacts& facts) {
  constexpr double kMostFar_s = 3600;
  const double s = facts.seconds_of(pts);
  return s >= facts.seconds_of(facts.first_pts) - kMostFar_s &&
         s <= facts.seconds_of(facts.last_pts) + kMostFar_s;
}

HttpAnswer frame_answer(const HttpRequest& request, FramePictures& frames) {
  const auto pts = request.integer("pts");
  const std::int64_t side = request.integer("w").value_or(kUsualSide);
  const auto choice = choice_of(request);
  if (!pts || !choice || side < kSmallestFrameSide || side > kLargestFrameSide ||
      !is_usable(*pts, frames.facts()))
    return malformed("this frame can't be asked for");
  FramePicture picture = frames.get(*pts, *choice, static_cast<int>(side));
  HttpAnswer answer{.type = kJpeg, .body = std::move(picture.jpeg)};
  answer.headers.emplace_back("X-Pts", std::to_string(picture.pts));
  return answer;
}

HttpAnswer thumb_answer(std::string_view path, const ReviewParts& parts) {
  const std::string_view rest = path.substr(kThumb.size());
  const std::size_t slash = rest.find('/');
  const auto id = whole_number(rest.substr(0, slash));
  const auto number =
      slash == std::string_view::npos ? std::nullopt : whole_number(rest.substr(slash + 1));
  constexpr std::int64_t kMostNumbers = 100;
  if (!id || !number || *number < 0 || *number > kMostNumbers)
    return malformed("a small picture is /thumb/ID/NUMBER");
  const auto box = parts.session.box_for_picture(*id, static_cast<int>(*number));
  if (!box) return refusal(404, "there is no such track");
  return {.type = kJpeg, .body = parts.boxes.get(*box)};
}

HttpAnswer boxes_answer(const HttpRequest& request, const ReviewSession& session) {
  const auto from = request.integer("from");
  const auto to = request.integer("to");
  const std::int64_t percent = request.integer("score").value_or(0);
  if (!from || !to || percent < 0 || percent > kMostPercent)
    return malformed("boxes are asked for by from, to and score");
  return json_answer(session.boxes_json(
      *from, *to, static_cast<float>(percent) / static_cast<float>(kMostPercent)));
}

HttpAnswer get(const HttpRequest& request, const ReviewParts& parts) {
  const std::string& path = request.path;
  if (path == "/open") return parts.gate.open(request);
  if (path == "/") return review_page();
  if (path == "/review.css") return review_style();
  if (path == "/review.js") return review_script();
  if (path == "/favicon.ico") return {.status = 204};
  if (path == "/tracks") return json_answer(parts.session.tracks_json());
  if (path == "/boxes") return boxes_answer(request, parts.session);
  if (path == "/frame") return frame_answer(request, parts.frames);
  if (path == "/findings") return json_answer(parts.rendering.findings_json());
  if (path == "/state")
    return json_answer("{\"saving\":" + parts.session.saving_json() +
                       ",\"rendering\":" + parts.rendering.state_json() + "}");
  if (path.starts_with(kThumb)) return thumb_answer(path, parts);
  return refusal(404, "there is nothing here");
}

HttpAnswer post(const HttpRequest& request, const ReviewParts& parts) {
  if (request.path == "/changes") return json_answer(parts.session.change(request.body));
  if (request.path == "/render") {
    parts.rendering.order(request.body);
    return {.status = 204};
  }
  if (request.path == "/render/stop") {
    parts.rendering.stop();
    return {.status = 204};
  }
  if (request.path == "/quit") {
    if (parts.rendering.is_under_way())
      throw RefusedChange("facepipe still hides or verifies the video; stop this first");
    parts.session.save();
    parts.quit();
    return {.status = 204};
  }
  return refusal(404, "there is nothing here");
}

}  // namespace

HttpAnswer answer_review(const HttpRequest& request, const ReviewParts& parts) {
  try {
    return request.method == "POST" ? post(request, parts) : get(request, parts);
  } catch (const RefusedChange& refused) {
    return refusal(409, refused.what());
  }
}

}  // namespace facepipe::app
