#include "app/output/report_parts.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/output/command_text.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

double whole_microseconds(double seconds) { return std::round(seconds * 1e6) / 1e6; }

}  // namespace

nlohmann::ordered_json spans_json(const TimeSpans& spans) {
  Json all = Json::array();
  for (const TimeSpans::Span& span : spans.spans())
    all.push_back(Json::array({whole_microseconds(span.from_s), whole_microseconds(span.to_s)}));
  return all;
}

nlohmann::ordered_json lost_json(const video::FrameLedger& ledger) {
  TimeSpans spans;
  for (const double time_s : ledger.lost_at_s) spans.add(time_s);
  return spans_json(spans);
}

nlohmann::ordered_json command_line_json(const std::vector<std::string>& words) {
  Json line = Json::array({"facepipe"});
  for (const std::string& word : words) line.push_back(without_queries(word));
  return line;
}

}  // namespace facepipe::app
