#include "app/report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/text.h"

namespace facepipe {
namespace {

// Keeps the order of insertion: what a reader looks for first stands first.
using Json = nlohmann::ordered_json;

/// The value whose shortest text is that of the float: 0.3 instead of 0.30000001192092896.
double short_double(float value) {
  std::string text;
  append_number(text, value);
  return std::stod(text);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json path_or_null(const std::filesystem::path& path) {
  return path.empty() ? Json() : Json(path.string());
}

Json size_json(Size size) { return Json::array({size.width, size.height}); }

Json tiling_json(const Tiling& tiling) {
  return {{"columns", tiling.columns},
          {"rows", tiling.rows},
          {"size", size_json(tiling.tile.frame)},
          {"overlap", tiling.overlap},
          {"whole_at", size_json(tiling.whole.content)}};
}

/// Milliseconds as they deserve to be read: to a tenth of a microsecond.
double rounded(double milliseconds) { return std::round(milliseconds * 1e4) / 1e4; }

Json percentiles_json(const std::vector<std::pair<std::string, Percentiles>>& stages) {
  Json json = Json::object();
  for (const auto& [name, times] : stages)
    json[name] = {{"p50", rounded(times.p50)},
                  {"p95", rounded(times.p95)},
                  {"p99", rounded(times.p99)},
                  {"max", rounded(times.max)}};
  return json;
}

Json draw_json(const OverlayStyle& style) {
  Json words = Json::array();
  if (style.boxes) words.push_back("boxes");
  if (style.scores) words.push_back("scores");
  if (style.landmarks) words.push_back("landmarks");
  if (style.count) words.push_back("count");
  return words;
}

Json encoder_json(const EncoderOptions& encoder) {
  Json options = Json::object();
  for (const auto& [name, value] : encoder.options) options[name] = value;
  return {{"codec", encoder.codec.empty() ? Json() : Json(encoder.codec)},
          {"preset", encoder.preset.empty() ? Json() : Json(encoder.preset)},
          {"crf", or_null(encoder.crf)},
          {"options", std::move(options)}};
}

Json nms_json(const NmsOptions& nms) {
  Json json = {
      {"rule", name_of(nms.rule)}, {"overlap", name_of(nms.overlap)}, {"voting", nms.voting}};
  if (nms.rule == NmsRule::soft) {
    json["decay"] = name_of(nms.soft.decay);
    json["sigma"] = short_double(nms.soft.sigma);
    json["min_score"] = short_double(nms.soft.min_score);
  }
  if (nms.rule == NmsRule::matrix) {
    json["d_max"] = nms.matrix.d_max;
    json["k"] = nms.matrix.k;
    json["squares"] = nms.matrix.squares;
    json["plus_one"] = nms.matrix.plus_one;
  }
  return json;
}

Json options_json(const RunOptions& options) {
  const JobOptions& job = options.job;
  const DetectorOptions& detector = options.detector;
  return {{"score", short_double(detector.score_threshold)},
          {"iou", short_double(job.nms.threshold)},
          {"nms", nms_json(job.nms)},
          {"min_face", job.min_face},
          {"max_face", job.max_face},
          {"detect_size", detector.detect_size ? size_json(*detector.detect_size) : Json()},
          {"draw", draw_json(job.overlay)},
          {"max_pixels", job.max_pixels},
          {"start_s", or_null(job.start_s)},
          {"end_s", or_null(job.end_s)},
          {"video", options.video},
          {"encoder", encoder_json(job.encoder)},
          {"threads", job.threads},
          {"frames_in_flight", job.frames_in_flight},
          {"on_size_change", job.scale_on_size_change ? "scale" : "error"},
          {"strict", job.strict},
          {"tolerate_damage", options.tolerate_damage}};
}

void add_facts(Json& json, const std::optional<RunFacts>& facts) {
  for (const char* name : {"device", "engine", "precision", "why", "model"}) json[name] = nullptr;
  if (!facts) return;
  json["device"] = to_string(facts->device);
  json["engine"] = to_string(facts->engine.engine);
  json["precision"] = to_string(facts->engine.precision);
  Json why = Json::array();
  for (const std::string& reason : {facts->device_why, facts->engine.why})
    if (!reason.empty()) why.push_back(reason);
  json["why"] = std::move(why);
  json["model"] = {{"kind", facts->model_kind},
                   {"path", facts->model.string()},
                   {"sha256", facts->model_sha256}};
}

Json ledger_json(const FrameLedger& ledger) {
  return {{"packets", ledger.packets}, {"decoded", ledger.decoded},
          {"lost", ledger.lost},       {"damaged", ledger.damaged},
          {"written", ledger.written}, {"ended_early", ledger.ended_early}};
}

/// Between host and device, by kind; null on the CPU.
Json copies_json(const std::vector<CopySum>& copies) {
  if (copies.empty()) return {};
  Json json = Json::object();
  for (const CopySum& copy : copies)
    json[copy.kind] = {{"direction", copy.direction}, {"calls", copy.calls}, {"bytes", copy.bytes}};
  return json;
}

void add_result(Json& json, const InputOutcome& outcome) {
  for (const char* name :
       {"size", "network_size", "detection_tiles", "video_codec", "decoder", "encoder", "container",
        "frames", "faces", "candidates", "candidates_ignored", "fps", "wall_s", "copies",
        "stage_ms", "stage_cpu_ms", "notices"})
    json[name] = nullptr;
  if (!outcome.has_result()) return;
  const JobResult& result = outcome.result;
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  json["size"] = size_json(result.size);
  json["network_size"] = size_json(result.network_size);
  json["detection_tiles"] = result.tiling ? tiling_json(*result.tiling) : Json();
  json["video_codec"] = text(result.video_codec);
  json["decoder"] = text(result.decoder);
  json["encoder"] = text(result.encoder);
  json["container"] = text(result.container);
  json["frames"] = ledger_json(result.ledger);
  json["faces"] = result.faces;
  json["candidates"] = result.candidates;
  json["candidates_ignored"] = result.candidates_ignored;
  json["fps"] = result.fps;
  json["wall_s"] = result.wall_s;
  json["copies"] = copies_json(result.copies);
  json["stage_ms"] = percentiles_json(result.stage_ms);
  json["stage_cpu_ms"] = percentiles_json(result.stage_cpu_ms);
  json["notices"] = result.notices;
}

Json input_json(const RunOptions& options, const std::optional<RunFacts>& facts,
                const InputOutcome& outcome) {
  Json json;
  json["file"] = outcome.planned.name;
  json["input"] = outcome.planned.input;
  json["output"] =
      path_or_null(outcome.has_result() ? outcome.result.output : std::filesystem::path());
  json["status"] = to_string(outcome.status);
  json["exit_code"] = outcome.code;
  json["error"] = outcome.error.empty() ? Json() : Json(outcome.error);
  add_facts(json, facts);
  json["options"] = options_json(options);
  add_result(json, outcome);
  return json;
}

}  // namespace

std::string report_json(const RunOptions& options, const std::optional<RunFacts>& facts,
                        const std::vector<InputOutcome>& outcomes) {
  Json report = Json::array();
  for (const InputOutcome& outcome : outcomes)
    report.push_back(input_json(options, facts, outcome));
  // Names of files may hold any byte; what is no UTF-8 becomes U+FFFD.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace facepipe
