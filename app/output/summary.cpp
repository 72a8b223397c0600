#include "app/output/summary.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "app/output/command_text.h"
#include "app/output/html/numbers.h"
#include "app/output/joined.h"
#include "app/output/text.h"
#include "core/add_once.h"
#include "pipeline/job_result.h"

namespace facepipe::app {
namespace {

/// Returns the word for the counted objects.
std::string things(const std::optional<RunFacts>& facts) {
  std::vector<std::string> names;
  if (facts)
    for (const detector::FoundClass& each : facts->classes()) add_once(names, each.name);
  if (names.empty() || names == std::vector<std::string>{"face"}) return "faces";
  return fmt::format("boxes ({})", terminal_text(joined_by(names, ", ")));
}

/// Returns "onnx f32, CenterFace (centerface.onnx)".
std::string model_text(const detector::ModelInfo& model, const std::filesystem::path& file) {
  return fmt::format("{} {}, {} ({})", model.choice().name(), to_string(model.choice().precision),
                     model.model_kind(), terminal_text(file.string()));
}

std::string facts_paragraph(const RunFacts& facts) {
  std::string text;
  for (const std::string& line : facts_lines(facts))
    text += (text.empty() ? "ran on " : "  ") + line + '\n';
  for (const std::string& why : facts.reasons()) text += fmt::format("  {}\n", terminal_text(why));
  return text;
}

/// Returns the share of each device; empty if there was only one device.
std::string shares_line(const pipeline::JobResult& result) {
  if (result.resources.devices.size() < 2) return {};
  std::string line;
  for (const pipeline::DeviceShare& share : result.resources.devices)
    line += fmt::format("{}{}: {} frames in {} lanes{}", line.empty() ? "  " : ", ",
                        to_string(share.device), share.frames, share.lanes,
                        share.failure.empty() ? "" : ", failed");
  return line + '\n';
}

/// Returns what was copied between host and device, or on the device; empty if nothing was copied.
std::string copies_line(const std::vector<pipeline::CopySum>& copies) {
  std::string line;
  for (const pipeline::CopySum& copy : copies) {
    if (copy.calls == 0) continue;
    line += fmt::format("{} {} {} ({:.1f} MB)", line.empty() ? "  copied:" : ",", copy.kind,
                        copy.calls, static_cast<double>(copy.bytes) / 1e6);
  }
  return line.empty() ? line : line + '\n';
}

/// Returns what a person should look at before anybody else sees the video; empty if there is
/// nothing.
std::string check_line(const InputOutcome& outcome, const std::string& things) {
  const std::optional<pipeline::TrackCounts>& counts = outcome.result.track_counts;
  if (!counts || counts->likely == 0 || outcome.result.output.empty()) return {};
  std::vector<std::pair<double, double>> spans;
  for (const TimeSpans::Span& span : counts->likely_at.spans())
    spans.emplace_back(span.from_s, span.to_s);
  return fmt::format("  look: visible tracks that may be {}: {}{}; facepipe review shows them\n",
                     things, counts->likely, spans.empty() ? "" : ", at " + short_spans(spans));
}

std::string input_line(const InputOutcome& outcome, const std::string& things) {
  const std::string input = terminal_text(without_queries(outcome.planned.input));
  if (!outcome.has_result()) {
    const bool failed = outcome.status == InputStatus::failed;
    return failed ? fmt::format("failed: {}\n", terminal_text(outcome.error))
                  : fmt::format("{}: {}\n", to_string(outcome.status), input);
  }
  const pipeline::JobResult& result = outcome.result;
  const video::FrameLedger& ledger = result.ledger;
  std::string line =
      fmt::format("{}: {}: {} frames", to_string(outcome.status), input, ledger.decoded);
  if (!ledger.intact())
    line += fmt::format(" ({} lost, {} damaged{})", ledger.lost, ledger.damaged,
                        ledger.ended_early ? ", ended early" : "");
  if (result.side_packets_lost > 0)
    line += fmt::format(" ({} packets of other streams lost)", result.side_packets_lost);
  line += fmt::format(", {} {}, {:.1f} fps", result.counts.faces, things, result.times.fps);
  if (!result.output.empty()) line += " -> " + terminal_text(result.output.string());
  return line + '\n' + check_line(outcome, things) + shares_line(result) +
         copies_line(result.resources.copies);
}

std::string total_line(const std::vector<InputOutcome>& outcomes, const std::string& things,
                       double seconds) {
  std::size_t inputs = 0;
  std::int64_t frames = 0;
  std::int64_t faces = 0;
  for (const InputOutcome& outcome : outcomes) {
    if (!outcome.has_result()) continue;
    ++inputs;
    frames += outcome.result.ledger.decoded;
    faces += outcome.result.counts.faces;
  }
  return fmt::format("all: {} inputs, {} frames, {} {}, {:.1f} fps\n", inputs, frames, faces,
                     things, seconds > 0 ? static_cast<double>(frames) / seconds : 0.0);
}

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// Returns one line for each stage, and a line that names the bottleneck.
std::string work_table(const pipeline::StageTimes& times, bool at_once) {
  const std::vector<pipeline::StageRow> rows = times.rows();
  const std::optional<pipeline::StageRow> bottleneck = pipeline::bounding_stage(rows);
  std::string table = fmt::format("{:<11}{:>16}{:>16}\n", "stage", "work a frame", "share of time");
  for (const pipeline::StageRow& row : rows)
    table += fmt::format("{:<11}{:>13.2f} ms{:>16}{}\n", to_string(row.stage), row.work_ms,
                         percent(row.share),
                         bottleneck && bottleneck->stage == row.stage ? "  bottleneck" : "");
  if (bottleneck)
    table += fmt::format(
        "the bottleneck is {}: it worked for {} of {:.2f} s{}, of which start-up took {:.2f} s\n",
        to_string(bottleneck->stage), percent(bottleneck->share), times.wall_s(),
        at_once ? ", the times of all inputs together" : "", times.startup_s());
  return table;
}

std::string waiting_row(std::string_view what, const Percentiles& times) {
  return fmt::format("{:<34}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", what, times.p50, times.p95,
                     times.p99, times.max);
}

/// Returns a table that shows how long a frame is in each stage.
std::string waiting_table(const pipeline::StageTimes& times) {
  std::string table = fmt::format("{:<34}{:>10}{:>10}{:>10}{:>10}\n",
                                  "ms of a frame, waiting included", "median", "p95", "p99", "max");
  for (const pipeline::StageRow& row : times.rows())
    table += waiting_row(to_string(row.stage), row.in_stage_ms);
  return table + waiting_row("total: first packet to written", times.total_ms()) +
         waiting_row("latency: decoded to encoder", times.latency_ms());
}

}  // namespace

std::vector<std::string> facts_lines(const RunFacts& facts) {
  std::vector<std::string> names;
  for (const Device device : facts.devices) names.push_back(to_string(device));
  const std::string devices = joined_by(names, " + ");
  const std::optional<detector::ModelInfo>& model = facts.model_info;
  if (!model) return {devices + ", without a search for faces"};
  std::vector<std::string> lines{devices + ", " + model_text(*model, facts.model)};
  for (const detector::ModelInfo& other : model->others())
    lines.push_back("and " + model_text(other, other.about().file));
  return lines;
}

std::string summary_text(const std::optional<RunFacts>& facts,
                         const std::vector<InputOutcome>& outcomes,
                         const pipeline::StageTimes& times, const WorkTime& work,
                         const std::vector<std::filesystem::path>& files, StageDetail detail) {
  std::string text;
  if (!times.empty()) text += work_table(times, work.at_once);
  if (!times.empty() && detail == StageDetail::work_and_waiting) text += waiting_table(times);
  for (const InputOutcome& outcome : outcomes) text += input_line(outcome, things(facts));
  if (std::ranges::count_if(outcomes, &InputOutcome::has_result) > 1)
    text += total_line(outcomes, things(facts), work.seconds);
  if (facts) text += facts_paragraph(*facts);
  for (const std::filesystem::path& file : files)
    text += "wrote " + terminal_text(file.string()) + '\n';
  return text;
}

}  // namespace facepipe::app
