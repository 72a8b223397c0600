#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "app/output/html/numbers.h"
#include "app/output/summary.h"
#include "app/output/text.h"
#include "app/plan/input_plan.h"

namespace facepipe::app {
namespace {

/// Returns "1.23 GB": three digits and a unit of powers of 1000.
std::string bytes_text(std::int64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value,
                     value >= 99.95   ? 0
                     : value >= 9.995 ? 1
                                      : 2,
                     kUnits[unit]);
}

std::string range_text(const ByteRange& range) {
  const std::string low = bytes_text(range.low);
  const std::string high = bytes_text(range.high);
  return low == high ? low : low + " to " + high;
}

std::string time_text(const std::optional<double>& seconds) {
  return seconds ? "about " + short_time(*seconds)
                 : "unknown, because the input doesn't tell its number of frames";
}

/// Returns a line whose text begins at the same column as in other lines.
std::string line(std::string_view what, const std::string& text) {
  return text.empty() ? text : fmt::format("  {:<9}{}\n", what, terminal_text(text));
}

std::string arrow(const InputOutcome& outcome) {
  return terminal_text(outcome.planned.input) +
         (outcome.planned.output.empty() ? ""
                                         : " -> " + terminal_text(outcome.planned.output.string()));
}

/// Returns the line of an input that the run leaves out. An error names its input.
std::string idle_line(const InputOutcome& outcome) {
  return fmt::format("{}: {}\n", to_string(outcome.status),
                     terminal_text(outcome.error.empty() ? outcome.planned.input : outcome.error));
}

std::string done_with(const pipeline::StreamPreview& stream) {
  if (stream.action == "encode") return "encoded again as " + stream.to_codec;
  if (stream.action == "copy") return "copied";
  if (stream.action == "convert") return "converted to " + stream.to_codec;
  if (stream.action == "attach") return "attached";
  return "dropped";
}

std::string stream_lines(const std::vector<pipeline::StreamPreview>& streams) {
  std::string lines;
  for (const pipeline::StreamPreview& stream : streams) {
    const std::string language = stream.language.empty() ? "" : " (" + stream.language + ")";
    lines += line(lines.empty() ? "streams" : "",
                  fmt::format("{} {} {}{}: {}", stream.index, stream.type, stream.codec, language,
                              done_with(stream)));
  }
  return lines;
}

std::string lanes_text(const pipeline::LanePlan& lanes) {
  if (lanes.count > 1)
    return fmt::format("{} decode parts of the video at the same time", lanes.count);
  return lanes.why_one.empty() ? "" : "only one, because " + lanes.why_one;
}

/// Returns "30.1 frames a second, by 275 frames at 3 places".
std::string speed_text(const InputPlan& input) {
  std::int64_t frames = 0;
  for (const Trial& trial : input.trials) frames += trial.frames;
  const std::string tried =
      input.trials.size() == 1
          ? fmt::format("by {} frames at the beginning", frames)
          : fmt::format("by {} frames at {} places", frames, input.trials.size());
  return fmt::format("{} frames a second, {}", short_number(input.estimate.fps), tried);
}

std::string video_text(const pipeline::JobPreview& preview) {
  const std::string frames =
      preview.frames > 0 ? fmt::format(", {} frames", grouped(preview.frames)) : "";
  return fmt::format("{} {}x{}{}, decoded by {}", preview.codecs.video_codec, preview.size.width,
                     preview.size.height, frames, preview.codecs.decoder);
}

std::string encoder_text(const pipeline::CodecNames& codecs) {
  return codecs.encoder.empty() ? "none is written"
                                : fmt::format("{} in {}", codecs.encoder, codecs.container);
}

std::string details(const InputPlan& input) {
  const pipeline::JobPreview& preview = input.preview;
  std::string text = arrow(input.outcome) + '\n' + line("video", video_text(preview)) +
                     line("output", encoder_text(preview.codecs)) + stream_lines(preview.streams) +
                     line("lanes", lanes_text(preview.lanes));
  for (const std::string& notice : preview.notices) text += line("notice", notice);
  return text + line("speed", speed_text(input));
}

std::string short_line(const InputPlan& input) {
  const Estimate& takes = input.estimate;
  return fmt::format("{}: {}{}{}\n", arrow(input.outcome),
                     input.preview.frames > 0 ? grouped(input.preview.frames) + " frames, " : "",
                     takes.seconds ? time_text(takes.seconds) : "time unknown",
                     takes.bytes ? ", " + range_text(*takes.bytes) : "");
}

/// Returns "all: 3 inputs" or, if the run doesn't work on all of them, "all: 2 of 3 inputs".
std::string all_line(std::size_t planned, std::size_t inputs) {
  const std::string of = planned == inputs ? "" : fmt::format("{} of ", planned);
  return fmt::format("all: {}{} inputs\n", of, inputs);
}

std::string device_lines(const RunPlan& plan) {
  if (!plan.facts) return {};
  std::string lines;
  for (const std::string& text : facts_lines(*plan.facts))
    lines += line(lines.empty() ? "device" : "", text);
  for (const std::string& why : plan.facts->reasons()) lines += line("", why);
  return lines;
}

std::string memory_text(const RunPlan& plan) {
  std::string host = bytes_text(plan.memory_bytes);
  if (plan.device_memory_bytes == 0) return host;
  return fmt::format("{}, and {} in use on the GPU", host, bytes_text(plan.device_memory_bytes));
}

std::string load_text(const MachineLoad& machine) {
  if (!machine.is_busy()) return {};
  return fmt::format(
      "busy: {:.1f} threads want to run on {} processors, so an idle machine needs "
      "less time",
      machine.average, machine.processors);
}

}  // namespace

PlanSum sum_of(const RunPlan& plan) {
  PlanSum sum;
  sum.seconds = plan.load_s;
  for (const InputPlan& input : plan.inputs) {
    if (!input.is_planned()) continue;
    ++sum.inputs;
    const Estimate& takes = input.estimate;
    if (sum.seconds && takes.seconds)
      *sum.seconds += *takes.seconds;
    else
      sum.seconds.reset();
    if (!takes.bytes) continue;
    if (!sum.bytes) sum.bytes.emplace();
    sum.bytes->low += takes.bytes->low;
    sum.bytes->high += takes.bytes->high;
  }
  if (sum.inputs == 0) sum.seconds.reset();
  return sum;
}

std::string plan_text(const RunPlan& plan) {
  // The log already says why the only input failed.
  const bool single = plan.inputs.size() == 1;
  if (single && plan.inputs.front().outcome.status == InputStatus::failed) return {};
  std::string text;
  for (const InputPlan& input : plan.inputs) {
    if (!input.is_planned())
      text += idle_line(input.outcome);
    else
      text += single ? details(input) : short_line(input);
  }
  const PlanSum sum = sum_of(plan);
  if (sum.inputs == 0) return text;
  if (!single) text += all_line(sum.inputs, plan.inputs.size());
  text += device_lines(plan) + line("time", time_text(sum.seconds));
  if (sum.bytes) text += line("size", range_text(*sum.bytes));
  return text + line("memory", memory_text(plan)) + line("machine", load_text(plan.machine));
}

}  // namespace facepipe::app
