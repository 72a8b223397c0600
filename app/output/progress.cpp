#include "app/output/progress.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <utility>

#include "app/output/text.h"
#include "app/standard_streams.h"
#include "core/threads.h"

namespace facepipe::app {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration kBarPace = 250ms;
constexpr Clock::duration kJsonPace = 1s;
constexpr int kBarCells = 24;

double rounded(double value) { return std::round(value * 1000) / 1000; }

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole >= 3600)
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

double ProgressState::left_s() const {
  if (progress.expected_frames <= 0 || !(progress.fps > 0)) return -1;
  const auto frames = static_cast<double>(progress.expected_frames - progress.frames);
  return std::max(0.0, frames / progress.fps);
}

std::string progress_json(const ProgressState& state) {
  using Json = nlohmann::ordered_json;
  const pipeline::Progress& progress = state.progress;
  const double left = state.left_s();
  Json json = {
      {"file", state.file},
      {"input", state.input},
      {"inputs", state.inputs},
      {"status", state.status},
      {"frames", progress.frames},
      {"expected_frames", progress.expected_frames > 0 ? Json(progress.expected_frames) : Json()},
      {"fps", rounded(progress.fps)},
      {"faces", progress.faces},
      {"elapsed_s", rounded(state.elapsed_s)},
      {"left_s", left >= 0 ? Json(rounded(left)) : Json()}};
  if (state.task) {
    json["host"] = text_or_null(state.task->host);
    json["attempt"] = state.task->attempt ? Json(*state.task->attempt) : Json();
  }
  if (state.result) {
    json["exit_code"] = state.result->exit_code;
    json["error"] = text_or_null(state.result->error);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string progress_bar(const ProgressState& state) {
  const pipeline::Progress& progress = state.progress;
  std::string bar;
  if (state.inputs > 1) bar += fmt::format("{}/{} ", state.input, state.inputs);
  if (progress.expected_frames > 0) {
    const double part = std::min(
        1.0, static_cast<double>(progress.frames) / static_cast<double>(progress.expected_frames));
    const auto cells = static_cast<std::size_t>(part * kBarCells);
    bar += fmt::format("[{:.<{}}] {:3.0f}% ", std::string(cells, '#'), kBarCells,
                       std::floor(part * 100));
  }
  bar +=
      fmt::format("{} frames  {:.1f} fps  {} faces", progress.frames, progress.fps, progress.faces);
  if (const double left = state.left_s(); left >= 0) bar += "  " + clock_text(left) + " left";
  return bar.substr(0, 79);
}

ProgressKind progress_kind(const Console& console) {
  if (console.progress == ProgressStyle::json) return ProgressKind::json;
  const bool bar =
      console.progress == ProgressStyle::automatic && !console.quiet && is_terminal(STDERR_FILENO);
  return bar ? ProgressKind::bar : ProgressKind::none;
}

ProgressReporter::ProgressReporter(ProgressKind kind, std::FILE* out, ProgressState first)
    : kind_(kind), out_(out), state_(std::move(first)) {
  if (kind_ != ProgressKind::none)
    thread_ = start_thread([this](const std::stop_token& stop) {
      try {
        work(stop);
      } catch (const std::exception& error) {
        spdlog::debug("progress is no longer shown: {}", error.what());  // the run goes on
      }
    });
}

ProgressReporter::~ProgressReporter() { stop_thread(); }

void ProgressReporter::update(const pipeline::Progress& progress,
                              std::optional<std::size_t> input) {
  const std::scoped_lock lock(mutex_);
  state_.progress = progress;
  if (input) state_.input = *input;
}

void ProgressReporter::end(const std::string& status, ProgressEnd at, ProgressResult result) {
  stop_thread();
  state_.status = status;
  state_.result = std::move(result);
  if (at == ProgressEnd::of_all_frames) state_.progress.expected_frames = state_.progress.frames;
  if (kind_ == ProgressKind::json) report(state_);
}

void ProgressReporter::stop_thread() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  if (kind_ == ProgressKind::bar) {
    std::fwrite(kClearLine.data(), 1, kClearLine.size(), out_);
    std::fflush(out_);
  }
}

void ProgressReporter::work(const std::stop_token& stop) {
  const Clock::duration pace = kind_ == ProgressKind::bar ? kBarPace : kJsonPace;
  std::unique_lock lock(mutex_);
  for (Clock::time_point next = start_; !stop.stop_requested();
       next = std::max(next + pace, Clock::now())) {
    stopping_.wait_until(lock, stop, next, [] { return false; });
    if (stop.stop_requested()) return;
    const ProgressState now = state_;
    lock.unlock();  // if nobody reads the stream, the pipeline must not wait in update()
    report(now);
    lock.lock();
  }
}

void ProgressReporter::report(ProgressState state) {
  state.elapsed_s = in_seconds(Clock::now() - start_);
  const std::string text = kind_ == ProgressKind::json
                               ? progress_json(state)
                               : std::string(kClearLine) + progress_bar(state);
  const int code = write_at_once(out_, text);
  if (write_error_ == 0) write_error_ = code;
}

void ProgressOfSeveral::update(std::size_t input, const pipeline::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  pipeline::Progress& before = running_[input];
  all_.frames += progress.frames - before.frames;
  all_.faces += progress.faces - before.faces;
  before = progress;
  report();
}

void ProgressOfSeveral::end(std::size_t input) {
  const std::scoped_lock lock(mutex_);
  running_.erase(input);
  ++ended_;
  report();
}

void ProgressOfSeveral::report() {
  all_.fps = static_cast<double>(all_.frames) / std::max(1e-3, in_seconds(Clock::now() - start_));
  reporter_.update(all_, ended_);
}

}  // namespace facepipe::app
