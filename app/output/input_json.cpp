#include "app/output/input_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/output/command_text.h"
#include "app/output/model_licence.h"
#include "app/output/report_parts.h"
#include "app/output/text.h"
#include "app/output/versions.h"
#include "app/run/card_defaults.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

// This type keeps the order of insertion, so that the most important fields come first.
using Json = nlohmann::ordered_json;

/// Returns the double whose shortest text is equal to the float's: 0.3, not 0.30000001192092896.
double short_double(float value) { return std::stod(shown(value)); }

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json size_json(Size size) { return Json::array({size.width, size.height}); }

Json tiling_json(const detector::Tiling& tiling) {
  return {{"columns", tiling.columns},
          {"rows", tiling.rows},
          {"size", size_json(tiling.tile.frame)},
          {"overlap", tiling.overlap},
          {"whole_at", size_json(tiling.whole.content)}};
}

/// Rounds milliseconds to a tenth of a microsecond.
double rounded(double milliseconds) { return std::round(milliseconds * 1e4) / 1e4; }

Json percentiles_json(const Percentiles& times) {
  return {{"p50", rounded(times.p50)},
          {"p95", rounded(times.p95)},
          {"p99", rounded(times.p99)},
          {"max", rounded(times.max)}};
}

void add_stages(Json& json, const pipeline::JobResult& result) {
  Json in_stage = Json::object();
  Json work = Json::object();
  Json own_cpu = Json::object();
  for (const pipeline::StageRow& row : result.times.stages) {
    const std::string name(to_string(row.stage));
    in_stage[name] = percentiles_json(row.in_stage_ms);
    work[name] = {{"ms", rounded(row.work_ms)}, {"share", rounded(row.share)}};
    own_cpu[name] = percentiles_json(row.own_cpu_ms);
  }
  in_stage["total"] = percentiles_json(result.times.total_ms);
  in_stage["latency"] = percentiles_json(result.times.latency_ms);
  const auto bound = pipeline::bounding_stage(result.times.stages);
  json["stage_ms"] = std::move(in_stage);
  json["stage_work"] = std::move(work);
  json["bound_by"] = bound ? Json(to_string(bound->stage)) : Json();
  json["own_cpu_ms"] = std::move(own_cpu);
}

Json draw_json(const overlay::OverlayStyle& style) {
  Json words = Json::array();
  for (const overlay::OverlayPart& part : overlay::kOverlayParts)
    if (style.*part.drawn) words.push_back(part.name);
  return words;
}

Json encoder_json(const video::EncoderOptions& encoder) {
  Json options = Json::object();
  for (const auto& [name, value] : encoder.options) options[name] = value;
  return {{"codec", text_or_null(encoder.codec)},
          {"preset", text_or_null(encoder.preset)},
          {"crf", or_null(encoder.crf)},
          {"options", std::move(options)}};
}

Json nms_json(const nms::NmsOptions& nms) {
  Json json = {
      {"rule", name_of(nms.rule)}, {"overlap", name_of(nms.overlap)}, {"voting", nms.voting}};
  if (nms.rule == nms::NmsRule::soft) {
    json["decay"] = name_of(nms.soft.decay);
    json["sigma"] = short_double(nms.soft.sigma);
    json["min_score"] = short_double(nms.soft.min_score);
  }
  if (nms.rule == nms::NmsRule::groups) json["min_neighbours"] = nms.groups.min_neighbours;
  if (nms.rule == nms::NmsRule::matrix) {
    json["d_max"] = nms.matrix.d_max;
    json["k"] = nms.matrix.k;
    json["squares"] = nms.matrix.squares;
    json["plus_one"] = nms.matrix.plus_one;
  }
  return json;
}

std::string_view name_of(overlay::HideStyle style) {
  switch (style) {
    case overlay::HideStyle::solid:
      return "solid";
    case overlay::HideStyle::blur:
      return "blur";
    case overlay::HideStyle::mosaic:
      return "mosaic";
    case overlay::HideStyle::image:
      return "image";
  }
  return {};
}

Json span_json(const pipeline::TimeSpan& span) {
  return Json::array({or_null(span.from_s), or_null(span.to_s)});
}

Json regions_json(const std::vector<pipeline::Region>& regions) {
  Json all = Json::array();
  for (const pipeline::Region& region : regions) {
    const Box& box = region.box;
    all.push_back({{"name", region.name},
                   {"box", Json::array({box.x1, box.y1, box.x2, box.y2})},
                   {"time_s", span_json(region.when)}});
  }
  return all;
}

/// Returns the options that decide which faces are hidden, and how; null if the run hides nothing.
Json hide_json(const RunOptions& options) {
  if (!options.job.hide) return {};
  const pipeline::HideJob& hide = *options.job.hide;
  const auto* const shape = std::ranges::find(overlay::kMaskShapes, hide.appearance.shape,
                                              &overlay::MaskShapeEntry::shape);
  Json spans = Json::array();
  for (const pipeline::TimeSpan& span : hide.regions.all_hidden) spans.push_back(span_json(span));
  return {{"style", name_of(hide.appearance.style)},
          {"shape", shape->name},
          {"grow", hide.appearance.grow},
          {"mirrored_too", options.detector.mirrored_too},
          {"host_motion", hide.host_motion},
          {"look_ahead_s", hide.tracks.look_ahead_s},
          {"two_pass", options.two_pass},
          {"tracks", text_or_null(options.files.known_tracks.string())},
          {"regions", regions_json(hide.regions.hidden)},
          {"keep_regions", regions_json(hide.regions.kept)},
          {"hide_all_s", std::move(spans)}};
}

/// Returns the looks in the form of the option --looks: numbers, and "flip".
Json looks_json(const detector::DetectorOptions& options, const detector::ModelAbout& model) {
  const detector::Looks looks = looks_of(with_defaults(options, model));
  Json json = Json::array();
  for (const float scale : looks.scales) json.push_back(short_double(scale));
  if (looks.mirrored) json.push_back("flip");
  return json;
}

Json options_json(const RunOptions& options, const detector::ModelAbout& model) {
  const pipeline::JobOptions& job = options.job;
  const detector::DetectorOptions& detector = options.detector;
  const pipeline::SearchOptions search = search_of(job.search, options.left_to_card, model);
  return {{"score", short_double(face_score_of(search, detector, model))},
          {"every", job.search.every},
          {"iou", short_double(search.nms.threshold)},
          {"nms", nms_json(search.nms)},
          {"min_face", job.search.min_face},
          {"max_face", job.search.max_face},
          {"scale_factor", or_null(detector.scale_factor)},
          {"detect_size", detector.detect_size ? size_json(*detector.detect_size) : Json()},
          {"looks", looks_json(detector, model)},
          {"draw", draw_json(job.hide ? overlay::kNoOverlay : job.overlay)},
          {"hide", hide_json(options)},
          {"max_pixels", job.input.max_pixels},
          {"start_s", or_null(job.input.start_s)},
          {"end_s", or_null(job.input.end_s)},
          {"video", options.video},
          {"encoder", encoder_json(job.output.encoder)},
          {"threads", job.resources.threads},
          {"frames_in_flight", job.resources.frames_in_flight},
          {"lanes", job.resources.lanes},
          {"on_size_change", job.input.scale_on_size_change ? "scale" : "error"},
          {"strict", job.output.strict},
          {"allow_references", job.input.allow_references},
          {"tolerate_damage", options.tolerate_damage}};
}

Json model_json(const detector::ModelInfo& model, const fs::path& file) {
  return {{"kind", model.model_kind()},
          {"class", model.classes().front().name},
          {"path", file.string()},
          {"sha256", model.model_sha256()},
          {"card", text_or_null(model.about().card)},
          {"licence", licence_json(model.about().licence)}};
}

/// Returns the facts about each of several models, and the values of its card that are used.
Json models_json(const RunOptions& options, const RunFacts& facts) {
  Json all = Json::array();
  for (const detector::ModelInfo& model : facts.models()) {
    const detector::ModelAbout& about = model.about();
    const fs::path& file = all.empty() ? facts.model : about.file;
    Json& json = all.emplace_back(model_json(model, file));
    const pipeline::SearchOptions search =
        search_of(options.job.search, options.left_to_card, about);
    json["engine"] = model.choice().name();
    json["precision"] = to_string(model.choice().precision);
    json["score"] = short_double(face_score_of(search, options.detector, about));
    json["iou"] = short_double(search.nms.threshold);
    json["looks"] = looks_json(options.detector, about);
  }
  return all;
}

/// Returns the classes that are looked for, each with the model that finds it.
Json classes_json(const RunFacts& facts) {
  Json all = Json::array();
  for (const detector::FoundClass& each : facts.classes())
    all.push_back({{"name", each.name}, {"model", text_or_null(each.model)}});
  return all;
}

/// Returns the numbers of tracks; null if the run neither hides nor follows faces for hiding.
Json tracks_json(const std::optional<pipeline::TrackCounts>& counts) {
  if (!counts) return {};
  return {{"hidden", counts->hidden},
          {"kept", counts->kept},
          {"suggested", counts->suggested},
          {"likely", counts->likely},
          {"likely_at", spans_json(counts->likely_at)}};
}

/// Returns what the log of a review says; null if there is none.
Json review_json(const LogFacts& review) {
  if (review.log.empty()) return {};
  return {{"log", review.log},
          {"lines", review.lines},
          {"last_sha256", text_or_null(review.last_sha256)},
          {"reviewers", review.reviewers},
          {"fault", text_or_null(review.fault)}};
}

/// Adds how this entry came about: who made it, when, and from which files.
void add_origin(Json& json, const RunOptions& options, const InputRecord& record) {
  json["command"] = command_name(options);
  json["command_line"] = command_line_json(options.command_line);
  json["versions"] = versions_json();
  json["begun"] = text_or_null(record.begun);
  json["sha256"] = {{"input", text_or_null(record.input_sha256)},
                    {"output", text_or_null(record.output_sha256)},
                    {"edit_file", text_or_null(record.edit_sha256)}};
  json["review"] = review_json(record.review);
}

Json ledger_json(const video::FrameLedger& ledger) {
  return {{"packets", ledger.packets}, {"decoded", ledger.decoded},
          {"lost", ledger.lost},       {"damaged", ledger.damaged},
          {"written", ledger.written}, {"ended_early", ledger.ended_early}};
}

/// Returns the copies between host and device, for each kind of copy; null on the CPU.
Json copies_json(const std::vector<pipeline::CopySum>& copies) {
  if (copies.empty()) return {};
  Json json = Json::object();
  for (const pipeline::CopySum& copy : copies)
    json[copy.kind] = {{"direction", copy.direction}, {"calls", copy.calls}, {"bytes", copy.bytes}};
  return json;
}

Json lanes_json(const pipeline::JobResult& result) {
  Json devices = Json::object();
  for (const pipeline::DeviceShare& share : result.resources.devices)
    devices[to_string(share.device)] = {
        {"lanes", share.lanes}, {"frames", share.frames}, {"failure", text_or_null(share.failure)}};
  return {{"count", result.resources.lanes.count},
          {"cuts", result.resources.cuts},
          {"devices", devices},
          {"why_one", text_or_null(result.resources.lanes.why_one)}};
}

void add_result(Json& json, const InputOutcome& outcome) {
  const pipeline::JobResult& result = outcome.result;
  Json fields = {
      {"size", size_json(result.size)},
      {"network_size", result.network.size ? size_json(*result.network.size) : Json()},
      {"detection_tiles", result.network.tiling ? tiling_json(*result.network.tiling) : Json()},
      {"video_codec", text_or_null(result.codecs.video_codec)},
      {"decoder", text_or_null(result.codecs.decoder)},
      {"lanes", lanes_json(result)},
      {"encoder", text_or_null(result.codecs.encoder)},
      {"container", text_or_null(result.codecs.container)},
      {"frames", ledger_json(result.ledger)},
      {"lost_s", lost_json(result.ledger)},
      {"damaged_s", spans_json(outcome.record.damaged)},
      {"side_packets_lost", result.side_packets_lost},
      {"frames_searched", result.counts.searched},
      {"faces", result.counts.faces},
      {"tracks", tracks_json(result.track_counts)},
      {"candidates", result.counts.candidates},
      {"candidates_ignored", result.counts.candidates_ignored},
      {"fps", result.times.fps},
      {"wall_s", result.times.wall_s},
      {"startup_s", result.times.startup_s},
      {"cpu_s", result.times.cpu_s},
      {"copies", copies_json(result.resources.copies)}};
  add_stages(fields, result);
  fields["notices"] = Json::array();
  for (const std::string& notice : result.notices)
    fields["notices"].push_back(without_queries(notice));
  if (!outcome.has_result())
    for (Json& value : fields) value = nullptr;
  json.update(fields);
}

}  // namespace

void add_facts(Json& json, const RunOptions& options, const std::optional<RunFacts>& facts) {
  for (const char* name : {"device", "devices", "engine", "precision", "why", "model"})
    json[name] = nullptr;
  if (!facts) return;
  json["device"] = to_string(facts->devices.front());
  json["devices"] = Json::array();
  for (const Device device : facts->devices) json["devices"].push_back(to_string(device));
  Json why = Json::array();
  for (const std::string& reason : facts->reasons()) why.push_back(reason);
  json["why"] = std::move(why);
  if (!facts->model_info) return;
  const detector::ModelInfo& model = *facts->model_info;
  json["engine"] = model.choice().name();
  json["precision"] = to_string(model.choice().precision);
  json["model"] = model_json(model, facts->model);
  if (!model.others().empty()) json["models"] = models_json(options, *facts);
  if (model.classes().size() > 1) json["classes"] = classes_json(*facts);
}

nlohmann::ordered_json input_json(const RunOptions& options, const std::optional<RunFacts>& facts,
                                  const InputOutcome& outcome) {
  Json json;
  json["file"] = outcome.planned.name;
  json["input"] = without_queries(outcome.planned.input);
  const fs::path& made = outcome.keeps_video ? outcome.planned.output : outcome.result.output;
  json["output"] = text_or_null(outcome.has_result() ? made.string() : "");
  json["status"] = to_string(outcome.status);
  json["exit_code"] = outcome.code;
  json["error"] = text_or_null(outcome.error);
  add_origin(json, options, outcome.record);
  add_facts(json, options, facts);
  json["options"] = options_json(options, facts ? facts->about() : detector::ModelAbout{});
  add_result(json, outcome);
  return json;
}

}  // namespace facepipe::app
