#include "app/summary.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>

namespace facepipe {
namespace {

std::string facts_line(const RunFacts& facts) {
  std::string line = fmt::format("ran on {}, {} {}, {} ({})\n", to_string(facts.device),
                                 to_string(facts.engine.engine), to_string(facts.engine.precision),
                                 facts.model_kind, facts.model.string());
  for (const std::string& why : {facts.device_why, facts.engine.why})
    if (!why.empty()) line += fmt::format("  {}\n", why);
  return line;
}

std::string input_line(const InputOutcome& outcome) {
  const std::string& input = outcome.planned.input;
  if (!outcome.has_result()) {
    const bool failed = outcome.status == InputStatus::failed;
    return failed ? fmt::format("failed: {}\n", outcome.error)
                  : fmt::format("{}: {}\n", to_string(outcome.status), input);
  }
  const JobResult& result = outcome.result;
  const FrameLedger& ledger = result.ledger;
  std::string line =
      fmt::format("{}: {}: {} frames", to_string(outcome.status), input, ledger.decoded);
  if (!ledger.intact())
    line += fmt::format(" ({} lost, {} damaged{})", ledger.lost, ledger.damaged,
                        ledger.ended_early ? ", ended early" : "");
  line += fmt::format(", {} faces, {:.1f} fps", result.faces, result.fps);
  if (!result.output.empty()) line += " -> " + result.output.string();
  return line + '\n';
}

std::string total_line(const std::vector<InputOutcome>& outcomes) {
  std::size_t inputs = 0;
  std::int64_t frames = 0;
  std::int64_t faces = 0;
  double seconds = 0;
  for (const InputOutcome& outcome : outcomes) {
    if (!outcome.has_result()) continue;
    ++inputs;
    frames += outcome.result.ledger.decoded;
    faces += outcome.result.faces;
    seconds += outcome.result.wall_s;
  }
  return fmt::format("all: {} inputs, {} frames, {} faces, {:.1f} fps\n", inputs, frames, faces,
                     seconds > 0 ? static_cast<double>(frames) / seconds : 0.0);
}

std::string stage_table(const std::vector<std::pair<std::string, Percentiles>>& stages) {
  std::string table =
      fmt::format("{:<12}{:>10}{:>10}{:>10}{:>10}  ms\n", "stage", "p50", "p95", "p99", "max");
  for (const auto& [name, times] : stages)
    table += fmt::format("{:<12}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", name, times.p50, times.p95,
                         times.p99, times.max);
  return table;
}

}  // namespace

std::string summary_text(const std::optional<RunFacts>& facts,
                         const std::vector<InputOutcome>& outcomes,
                         const std::vector<std::pair<std::string, Percentiles>>& stages,
                         const std::vector<std::filesystem::path>& files) {
  std::string text;
  if (!stages.empty()) text += stage_table(stages);
  for (const InputOutcome& outcome : outcomes) text += input_line(outcome);
  const auto results = std::count_if(outcomes.begin(), outcomes.end(),
                                     [](const auto& outcome) { return outcome.has_result(); });
  if (results > 1) text += total_line(outcomes);
  if (facts) text += facts_line(*facts);
  for (const std::filesystem::path& file : files) text += "wrote " + file.string() + '\n';
  return text;
}

}  // namespace facepipe
