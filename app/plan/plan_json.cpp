#include <cmath>
#include <nlohmann/json.hpp>

#include "app/output/input_json.h"
#include "app/output/text.h"
#include "app/plan/input_plan.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

/// Rounds to a thousandth: no measurement is more exact.
Json rounded(double value) { return std::round(value * 1000) / 1000; }

Json seconds_json(const std::optional<double>& seconds) {
  return seconds ? rounded(*seconds) : Json();
}

Json bytes_json(const std::optional<ByteRange>& bytes) {
  return bytes ? Json{{"low", bytes->low}, {"high", bytes->high}} : Json();
}

Json streams_json(const std::vector<pipeline::StreamPreview>& streams) {
  Json all = Json::array();
  for (const pipeline::StreamPreview& stream : streams)
    all.push_back({{"index", stream.index},
                   {"type", stream.type},
                   {"codec", stream.codec},
                   {"language", text_or_null(stream.language)},
                   {"action", stream.action},
                   {"to_codec", text_or_null(stream.to_codec)},
                   {"note", text_or_null(stream.note)}});
  return all;
}

Json trials_json(const std::vector<Trial>& trials) {
  Json all = Json::array();
  for (const Trial& trial : trials)
    all.push_back({{"from_s", rounded(trial.from_s)},
                   {"frames", trial.frames},
                   {"startup_s", rounded(trial.startup_s)},
                   {"wall_s", rounded(trial.wall_s)},
                   {"steady_fps", trial.steady_fps > 0 ? rounded(trial.steady_fps) : Json()},
                   {"video_bytes", trial.bytes.video},
                   {"whole", trial.whole}});
  return all;
}

void add_preview(Json& json, const pipeline::JobPreview& preview) {
  json["video_codec"] = preview.codecs.video_codec;
  json["size"] = Json::array({preview.size.width, preview.size.height});
  json["frames"] = preview.frames > 0 ? Json(preview.frames) : Json();
  json["frame_rate"] = rounded(preview.frame_rate);
  json["duration_s"] = preview.duration_s > 0 ? rounded(preview.duration_s) : Json();
  json["decoder"] = preview.codecs.decoder;
  json["encoder"] = text_or_null(preview.codecs.encoder);
  json["container"] = text_or_null(preview.codecs.container);
  json["lanes"] = {{"count", preview.lanes.count},
                   {"why_one", text_or_null(preview.lanes.why_one)}};
  json["streams"] = streams_json(preview.streams);
  json["notices"] = preview.notices;
}

Json planned_json(const InputPlan& input) {
  const InputOutcome& outcome = input.outcome;
  Json json{{"file", outcome.planned.name},
            {"input", outcome.planned.input},
            {"output", text_or_null(outcome.planned.output.string())},
            {"status", input.is_planned() ? "planned" : std::string(to_string(outcome.status))},
            {"error", text_or_null(outcome.error)},
            {"exit_code", outcome.code}};
  if (!input.is_planned()) return json;
  add_preview(json, input.preview);
  json["trials"] = trials_json(input.trials);
  json["tried_as"] = text_or_null(input.tried_as);
  json["takes"] = {{"preparation_s", rounded(input.preparation_s)},
                   {"fps", rounded(input.estimate.fps)},
                   {"seconds", seconds_json(input.estimate.seconds)},
                   {"bytes", bytes_json(input.estimate.bytes)}};
  return json;
}

}  // namespace

std::string plan_json(const RunPlan& plan, const RunOptions& options) {
  Json json{{"form", kPlanForm}, {"command", command_name(options)}, {"version", FACEPIPE_VERSION}};
  add_facts(json, options, plan.facts);
  json["machine"] = {{"load", rounded(plan.machine.average)},
                     {"processors", plan.machine.processors},
                     {"busy", plan.machine.is_busy()}};
  json["inputs"] = Json::array();
  for (const InputPlan& input : plan.inputs) json["inputs"].push_back(planned_json(input));
  const PlanSum sum = sum_of(plan);
  json["all"] = {{"inputs", sum.inputs},
                 {"load_s", rounded(plan.load_s)},
                 {"seconds", seconds_json(sum.seconds)},
                 {"bytes", bytes_json(sum.bytes)},
                 {"memory_bytes", plan.memory_bytes > 0 ? Json(plan.memory_bytes) : Json()},
                 {"device_memory_bytes",
                  plan.device_memory_bytes > 0 ? Json(plan.device_memory_bytes) : Json()}};
  // Only ASCII, so that print() changes nothing.
  return json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n';
}

}  // namespace facepipe::app
