#include "pipeline/lanes/lane.h"

#include <limits>
#include <utility>

#include "pipeline/lanes/detect_stages.h"
#include "pipeline/lanes/draw_stage.h"

namespace facepipe::pipeline {
namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

}  // namespace

Lane::Lane(int number, LaneParts parts, int frames_in_flight, LaneConnections& connections,
           JobEnd& end, const std::stop_token& failed)
    : parts_(std::move(parts)),
      stop_(failed, connections.devices.failed(device())),
      channels_(frames_in_flight, stop_.token()),
      waiting_{Channel<WorkItem>(kUnbounded, stop_.token()), TrackQueue::Answers(kUnbounded, {})},
      segments_(connections),
      failures_(*parts_.backend, connections, segments_, end),
      entrance_({number, device(), frames_in_flight, stop_.token()}, connections, failures_,
                channels_.decoded),
      output_(connections, parts_.encoder ? &channels_.drawn : nullptr),
      decode_(parts_.decoding, connections, segments_, entrance_, stop_.token()) {
  add_stages(connections);
}

void Lane::add_stages(LaneConnections& connections) {
  FrameProcessor& processor = *parts_.processor;
  const auto add = [this]<typename Stage>(std::unique_ptr<Stage> stage) {
    stages_.push_back(std::move(stage));
  };
  add(std::make_unique<PreprocessStage>(processor, channels_.decoded, channels_.started,
                                        stop_.token()));
  add(std::make_unique<DetectStage>(processor, channels_.started,
                                    draws() ? &channels_.detected : nullptr, output_));
  if (parts_.hiding) {
    add(std::make_unique<LookStage>(*parts_.hiding, channels_.detected, waiting_,
                                    *connections.tracks, failures_));
    add(std::make_unique<HideStage>(*parts_.hiding, waiting_, output_, failures_, stop_.token()));
  } else if (draws()) {
    add(std::make_unique<DrawStage>(processor, channels_.detected, output_));
  }
  if (parts_.encoder)
    encode_ = std::make_unique<EncodeStage>(*parts_.encoder, channels_.drawn, connections, output_,
                                            failures_);
}

void Lane::add_threads(Runner& runner) {
  const auto add = [&](LaneStage& stage) {
    failures_.add_thread();
    runner.add(stage.name(), [this, &stage] { failures_.run(stage); });
  };
  add(decode_);
  for (const std::unique_ptr<LaneStage>& stage : stages_) add(*stage);
  if (encode_) add(*encode_);
}

}  // namespace facepipe::pipeline
