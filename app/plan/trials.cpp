#include "app/plan/trials.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/failure.h"
#include "app/run/named_files.h"
#include "app/run/two_passes.h"
#include "core/error.h"
#include "core/timing.h"

namespace facepipe::app {
namespace {

constexpr double kShareOfFirst = 0.5;                     // of the time limit
constexpr std::array<double, 2> kOtherPlaces{0.4, 0.75};  // of the chosen range
// The first pass of two takes this share of the time limit to measure its own speed.
constexpr double kShareOfProbe = 0.25;
constexpr double kShortestPart_s = 1;

/// Holds what one run of the job gave.
struct TriedPart {
  pipeline::TrialResult result;
  double steady_fps = 0;
};

/// Runs the job on parts of its input.
class InputTrials {
 public:
  InputTrials(const pipeline::JobOptions& job, const pipeline::JobPreview& preview,
              pipeline::Backend& backend, const RunContext& context)
      : job_(job), preview_(preview), backend_(backend), context_(context) {}

  TriedJob run(double limit_s);

 private:
  [[nodiscard]] Trial try_from(double from_s, double limit_s);
  [[nodiscard]] TriedPart try_part(const pipeline::JobOptions& part, double limit_s);
  [[nodiscard]] TriedPart try_one_pass(const pipeline::JobOptions& part, double limit_s);
  [[nodiscard]] TriedPart try_two_passes(pipeline::JobOptions part, double limit_s);
  [[nodiscard]] double part_for_two_passes(const pipeline::JobOptions& part, double limit_s);
  [[nodiscard]] double range_s() const {
    return preview_.frame_rate > 0 ? static_cast<double>(preview_.frames) / preview_.frame_rate : 0;
  }

  const pipeline::JobOptions& job_;
  const pipeline::JobPreview& preview_;
  pipeline::Backend& backend_;
  const RunContext& context_;
  std::vector<std::string> notices_;
};

/// Returns when the frame was ready for its drawing: after detection if the frame was searched.
Clock::time_point worked_at(const FrameTimes& times) {
  const Interval& search = times[StageId::inference];
  return search.ran() ? search.end : times[StageId::decode].end;
}

/// Returns the frames that the part's output has, or that were searched if there is no output.
std::int64_t frames_of(const TriedPart& tried) {
  const pipeline::JobResult& job = tried.result.job;
  return job.codecs.encoder.empty() ? job.ledger.decoded : job.ledger.written;
}

/// Removes instructions that may apply to no frame of the part. They would then be an error.
void forget_instructions(pipeline::JobOptions& part) {
  if (part.hide) part.hide->regions = {};
}

TriedPart InputTrials::try_one_pass(const pipeline::JobOptions& part, double limit_s) {
  const Clock::time_point begin = Clock::now();
  std::vector<FramePoint> points;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& record) {
    points.push_back(
        {in_seconds(worked_at(record.times) - begin), in_seconds(Clock::now() - begin)});
  };
  TriedPart tried;
  tried.result = pipeline::try_job(part, backend_, observer, context_.stop, limit_s);
  tried.steady_fps = steady_speed(points);
  return tried;
}

/// Returns how many seconds of the input both passes can work on in about the time limit.
double InputTrials::part_for_two_passes(const pipeline::JobOptions& part, double limit_s) {
  const TriedPart probe = try_one_pass(first_of_two_passes(part), limit_s * kShareOfProbe);
  const auto frames = static_cast<double>(probe.result.job.ledger.decoded);
  const double seconds = preview_.frame_rate > 0 ? frames / preview_.frame_rate : 0;
  return std::max(seconds, kShortestPart_s);
}

/// Tries both passes on a part that ends after some seconds. The first pass must reach the part's
/// end, because the second pass needs all of its tracks. So a time limit can't end the part.
TriedPart InputTrials::try_two_passes(pipeline::JobOptions part, double limit_s) {
  const double begin_s = part.input.start_s.value_or(0);
  const double end_s = begin_s + part_for_two_passes(part, limit_s);
  const bool whole = job_.input.end_s ? end_s >= *job_.input.end_s
                                      : preview_.frames > 0 && end_s - begin_s >= range_s();
  if (!whole) {
    part.input.end_s = end_s;
    forget_instructions(part);
  }
  TriedPart tried;
  tried.result.job = run_in_two_passes(
      part, {}, [&](const pipeline::JobOptions& pass, const pipeline::JobObserver& observer) {
        pipeline::TrialResult result = pipeline::try_job(pass, backend_, observer, context_.stop);
        tried.result.bytes = result.bytes;
        return std::move(result.job);
      });
  tried.result.job.interrupted = tried.result.job.interrupted || !whole;
  return tried;
}

/// Throws what has made the job fail, and Stopped if the user stops the program.
TriedPart InputTrials::try_part(const pipeline::JobOptions& part, double limit_s) {
  TriedPart tried =
      context_.options.two_pass ? try_two_passes(part, limit_s) : try_one_pass(part, limit_s);
  if (context_.stop.stop_requested()) throw Stopped();
  if (tried.result.job.failure) throw Error(*tried.result.job.failure);
  return tried;
}

Trial InputTrials::try_from(double from_s, double limit_s) {
  pipeline::JobOptions part = job_;
  if (from_s > 0) {
    part.input.start_s = job_.input.start_s.value_or(0) + from_s;
    forget_instructions(part);
  }
  const TriedPart tried = try_part(part, limit_s);
  const std::int64_t frames = frames_of(tried);
  if (frames == 0)
    throw Error(ErrorKind::input, job_.input.name + ": none of its frames could be tried");
  const pipeline::JobResult& job = tried.result.job;
  if (from_s == 0) notices_ = job.notices;
  return {from_s,
          frames,
          job.times.startup_s,
          job.times.wall_s,
          tried.steady_fps,
          tried.result.bytes,
          from_s == 0 && !job.interrupted};
}

TriedJob InputTrials::run(double limit_s) {
  TriedJob tried;
  tried.trials.push_back(try_from(0, limit_s * kShareOfFirst));
  tried.notices = notices_;
  const Trial first = tried.trials.front();
  if (first.whole || !bytes_of_input(job_.input.name)) return tried;
  for (const double place : kOtherPlaces) {
    const double from_s = place * range_s();
    if (static_cast<double>(first.frames) >= from_s * preview_.frame_rate) continue;
    const double share = (1 - kShareOfFirst) / static_cast<double>(kOtherPlaces.size());
    // A place that can't be read doesn't matter: the other places say enough.
    static_cast<void>(
        attempt({}, [&] { tried.trials.push_back(try_from(from_s, limit_s * share)); }));
    if (context_.stop.stop_requested()) throw Stopped();
  }
  return tried;
}

}  // namespace

TriedJob try_input(const pipeline::JobOptions& job, const pipeline::JobPreview& preview,
                   pipeline::Backend& backend, const RunContext& context, double limit_s) {
  return InputTrials(job, preview, backend, context).run(limit_s);
}

}  // namespace facepipe::app
