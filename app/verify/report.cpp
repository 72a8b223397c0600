#include "app/verify/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/failure.h"
#include "app/output/model_licence.h"
#include "app/output/report_parts.h"
#include "app/output/text.h"
#include "app/output/versions.h"
#include "app/run/card_defaults.h"

namespace facepipe::app {
namespace {

// This type keeps the order of insertion, so that the most important fields come first.
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostListed = 20;

/// Returns a time such as "1:02:03.456".
std::string clock_time(double seconds) {
  const auto all = static_cast<std::int64_t>(std::llround(std::max(0.0, seconds) * 1000));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld.%03lld",
                static_cast<long long>(all / 3600000), static_cast<long long>(all / 60000 % 60),
                static_cast<long long>(all / 1000 % 60), static_cast<long long>(all % 1000));
  return text.data();
}

std::string counted(std::int64_t count, std::string_view thing) {
  const std::string_view plural = count == 1 ? "" : (thing.ends_with('x') ? "es" : "s");
  return std::to_string(count) + " " + std::string(thing) + std::string(plural);
}

std::string box_text(const Box& box) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%.0fx%.0f at %.0f,%.0f", double{box.width()},
                double{box.height()}, double{box.x1}, double{box.y1});
  return text.data();
}

std::string finding_line(const verify::Finding& finding) {
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "  %-8s %s to %s, %s, best score %.2f: ",
                std::string(name_of(finding.kind)).c_str(), clock_time(finding.first_s).c_str(),
                clock_time(finding.last_s).c_str(), counted(finding.frames, "frame").c_str(),
                double{finding.best_score});
  const int left = static_cast<int>(std::lround(100 * (1 - finding.clearest.detail.gone)));
  std::string line = text.data() + box_text(finding.clearest.box);
  if (finding.kind != verify::FindingKind::only_there &&
      finding.source != verify::FindingSource::other_picture)
    line += ", detail left in " + std::to_string(left) + " %";
  if (finding.clearest.disguise != verify::Disguise::none)
    line += " " + std::string(name_of(finding.clearest.disguise));
  if (!finding.place.empty()) line += ", in " + finding.place;
  if (finding.class_name != "face") line += ", " + terminal_text(finding.class_name);
  if (finding.source == verify::FindingSource::edit_file)
    line += ", track " + std::to_string(finding.track) + " of the edit file";
  return line + "\n";
}

std::string difference_line(const verify::FrameDifference& difference, const std::string& what) {
  if (difference.count == 0) return {};
  return "  " + counted(difference.count, "frame") + " " + what + ", first at " +
         clock_time(difference.first_s) + " (frame " + std::to_string(difference.first_frame) +
         ")\n";
}

std::string damage_line(const VerifiedVideo& video) {
  if (video.ledger.intact()) return {};
  return "  " + video.name + ": " + counted(video.ledger.lost, "frame") + " lost, " +
         std::to_string(video.ledger.damaged) + " damaged" +
         (video.ledger.ended_early ? ", ends early" : "") + "\n";
}

std::string comparison(const VerifyResult& result) {
  std::string text = "  " + counted(result.frames.pairs, "frame") + " compared, of " +
                     std::to_string(result.original.frames) + " and " +
                     std::to_string(result.hidden.frames) + "\n";
  text += difference_line(result.frames.missing, "missing");
  text += difference_line(result.frames.extra, "too many");
  text += difference_line(result.frames.stamps, "with another time");
  if (result.original.size != result.hidden.size)
    text += "  pictures of " + to_string(result.original.size) + " became " +
            to_string(result.hidden.size) + "\n";
  return text + damage_line(result.original) + damage_line(result.hidden);
}

/// Returns a line if the original seems to have lost its rotation tag; otherwise empty.
std::string turned_line(const VerifyResult& result) {
  const std::optional<int> turn = detector::turn_of_faces(result.turned);
  if (!turn) return {};
  const detector::TurnInWords words = detector::turn_in_words(*turn);
  return "  the faces of " + result.original.name + " seem to be turned in the pixels: in a few " +
         "pictures turned by " + words.angle + ", verify found " +
         counted(result.turned[static_cast<std::size_t>(*turn)], "face") + ", and " +
         std::to_string(result.turned[0]) + " in the same pictures as they are\n";
}

std::string line_of_searched_video(const OtherVideo& beside) {
  if (!beside.reason_not_searched.empty())
    return "  " + beside.name + " was not searched: " + beside.reason_not_searched + "\n";
  return "  " + beside.name + ": " + counted(beside.frames, "picture") + " searched, too\n";
}

std::string verdict(const VerifyResult& result) {
  if (result.exit_code == kExitLeak) {
    const std::int64_t leaks = result.count(verify::FindingKind::leak);
    if (leaks > 0) return counted(leaks, "place") + " where a face may be seen";
    if (!result.has_looked_at_all()) return "not all pictures were searched";
    return "faces are hidden by a style that leaves details (--tolerate-cosmetic accepts that)";
  }
  return result.sound() ? "no face found" : "no face found, but the videos differ or are damaged";
}

Json rounded(double value, double steps) { return std::round(value * steps) / steps; }

Json box_json(const Box& box) {
  Json json = Json::array();
  for (const float edge : {box.x1, box.y1, box.x2, box.y2}) json.push_back(rounded(edge, 100));
  return json;
}

Json found_json(const verify::FoundBox& found) {
  return {{"frame", found.frame},
          {"time_s", rounded(found.time_s, 1e6)},
          {"box", box_json(found.box)},
          {"score", rounded(found.score, 1e4)},
          {"detail_gone", rounded(found.detail.gone, 1e4)},
          {"detail_weakened", rounded(found.detail.weakened, 1e4)},
          {"shown", name_of(found.disguise)}};
}

/// @param classes  whether findings tell their classes
Json finding_json(const verify::Finding& finding, bool classes) {
  Json json = {{"kind", name_of(finding.kind)},
               {"source", name_of(finding.source)},
               {"place", text_or_null(finding.place)},
               {"track", finding.track},
               {"frames", finding.frames},
               {"first_s", rounded(finding.first_s, 1e6)},
               {"last_s", rounded(finding.last_s, 1e6)},
               {"best_score", rounded(finding.best_score, 1e4)},
               {"clearest", found_json(finding.clearest)}};
  if (classes || finding.class_name != "face") {
    json["class"] = finding.class_name;
    json["model"] = text_or_null(finding.model);
  }
  Json& boxes = json["boxes"] = Json::array();
  for (const verify::FoundBox& found : finding.boxes) boxes.push_back(found_json(found));
  return json;
}

Json video_json(const VerifiedVideo& video) {
  return {{"file", video.name},
          {"frames", video.frames},
          {"width", video.size.width},
          {"height", video.size.height},
          {"sha256", text_or_null(video.sha256)},
          {"lost", video.ledger.lost},
          {"lost_s", lost_json(video.ledger)},
          {"damaged", video.ledger.damaged},
          {"damaged_s", spans_json(video.damaged)},
          {"ended_early", video.ledger.ended_early}};
}

Json difference_json(const verify::FrameDifference& difference) {
  if (difference.count == 0) return {{"count", 0}};
  return {{"count", difference.count},
          {"first_s", rounded(difference.first_s, 1e6)},
          {"first_frame", difference.first_frame}};
}

Json turned_json(const detector::FacesByTurn& found) {
  Json json;
  for (const int turns : {0, 1, 2, 3})
    json["clockwise_" + std::to_string(90 * turns)] = found[static_cast<std::size_t>(turns)];
  return json;
}

/// Returns what is known of each of several models.
Json models_json(const detector::ModelInfo& detector) {
  Json all = Json::array();
  for (const detector::ModelInfo& model : each_of(detector))
    all.push_back({{"kind", model.model_kind()},
                   {"path", model.about().file.string()},
                   {"sha256", model.model_sha256()},
                   {"card", text_or_null(model.about().card)},
                   {"licence", licence_json(model.about().licence)},
                   {"engine", model.choice().name()},
                   {"precision", to_string(model.choice().precision)}});
  return all;
}

Json options_json(const VerifyOptions& options, const detector::ModelInfo& detector,
                  const std::string& edit_sha256) {
  Json json = {{"tracks", text_or_null(options.tracks.string())},
               {"tracks_sha256", text_or_null(edit_sha256)},
               {"score", rounded(verify_score_of(options, detector.about()), 1e4)},
               {"quick", options.quick},
               {"tolerate_cosmetic", options.tolerate_cosmetic},
               {"engine", detector.choice().name()},
               {"precision", to_string(detector.choice().precision)},
               {"model", detector.model_kind()},
               {"model_sha256", detector.model_sha256()},
               {"card", text_or_null(detector.about().card)},
               {"licence", licence_json(detector.about().licence)}};
  if (!detector.others().empty()) json["models"] = models_json(detector);
  return json;
}

}  // namespace

std::int64_t VerifyResult::count(verify::FindingKind kind) const {
  return std::ranges::count(findings, kind, &verify::Finding::kind);
}

bool VerifyResult::has_looked_at_all() const {
  return std::ranges::all_of(beside,
                             [](const OtherVideo& one) { return one.reason_not_searched.empty(); });
}

bool VerifyResult::sound() const {
  return frames.equal() && frames.pairs > 0 && original.size == hidden.size &&
         original.ledger.intact() && hidden.ledger.intact();
}

std::string verify_summary(const VerifyResult& result, const VerifyOptions& options) {
  std::string text = result.hidden.name + " beside " + result.original.name + ":\n";
  text += comparison(result);
  text += "  " + counted(result.counts.detected, "box") + " of faces looked at";
  if (!options.tracks.empty())
    text += ", and " + std::to_string(result.counts.from_file) + " that the edit file hides";
  text += '\n' + turned_line(result);
  for (const OtherVideo& beside : result.beside) text += line_of_searched_video(beside);
  const std::size_t listed = std::min(kMostListed, result.findings.size());
  for (std::size_t i = 0; i < listed; ++i) text += finding_line(result.findings[i]);
  if (listed < result.findings.size())
    text += "  and " + std::to_string(result.findings.size() - listed) +
            " more (--report has all of them)\n";
  return text + verdict(result) + "\n";
}

nlohmann::ordered_json verify_report(const VerifyResult& result, const VerifyOptions& options,
                                     const detector::ModelInfo& detector) {
  Json json = {{"original", video_json(result.original)},
               {"hidden", video_json(result.hidden)},
               {"options", options_json(options, detector, result.edit_sha256)},
               {"command", "verify"},
               {"command_line", command_line_json(options.command_line)},
               {"versions", versions_json()},
               {"begun", text_or_null(result.begun)},
               {"wall_s", result.wall_s},
               {"exit_code", result.exit_code},
               {"verdict", verdict(result)},
               {"frames_compared", result.frames.pairs},
               {"frames_missing", difference_json(result.frames.missing)},
               {"frames_extra", difference_json(result.frames.extra)},
               {"stamps_differ", difference_json(result.frames.stamps)},
               {"boxes_measured", result.counts.detected},
               {"boxes_of_edit_file", result.counts.from_file},
               {"faces_by_turn", turned_json(result.turned)}};
  for (const verify::FindingKind kind :
       {verify::FindingKind::leak, verify::FindingKind::cosmetic, verify::FindingKind::kept,
        verify::FindingKind::only_there})
    json["counts"][std::string(name_of(kind))] = result.count(kind);
  Json& beside = json["pictures_beside"] = Json::array();
  for (const OtherVideo& one : result.beside)
    beside.push_back({{"name", one.name},
                      {"frames", one.frames},
                      {"not_looked_at", text_or_null(one.reason_not_searched)}});
  Json& findings = json["findings"] = Json::array();
  for (std::size_t i = 0; i < result.findings.size(); ++i) {
    Json& finding = findings.emplace_back(
        finding_json(result.findings[i], has_known_classes(detector.classes())));
    if (i < result.thumbnails.size() && !result.thumbnails[i].empty())
      finding["thumbnail"] = result.thumbnails[i].string();
  }
  json["boxes_left_out"] = result.boxes_left_out;
  return json;
}

std::string verify_json(const VerifyResult& result, const VerifyOptions& options,
                        const detector::ModelInfo& detector) {
  return verify_report(result, options, detector)
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace facepipe::app
