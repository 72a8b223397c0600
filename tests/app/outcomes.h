// Makes outcomes of inputs, for tests of the report, the summary and the exit code.
#pragma once

#include "app/run/input_outcome.h"
#include "pipeline/job_result.h"

namespace facepipe::test {

inline app::RunFacts some_facts() {
  return {
      {Device{}},
      "cpu: nothing else here",
      detector::ModelInfo({detector::Library::openvino, detector::Precision::f16, "fastest here"},
                          "centerface", "abc123", true),
      "models/m.onnx"};
}

inline app::InputOutcome done_outcome(const std::string& name) {
  app::InputOutcome outcome;
  outcome.planned = {"dir/" + name, name, "out/" + name, {}};
  outcome.status = app::InputStatus::done;
  pipeline::JobResult& result = outcome.result;
  result.ledger = {100, 100, 0, 0, 100, false};
  result.counts.searched = 50;
  result.counts.faces = 250;
  result.counts.candidates = 700;
  result.size = {640, 480};
  result.network.size = {640, 480};
  result.codecs.decoder = "h264";
  result.codecs.encoder = "libx264";
  result.codecs.video_codec = "h264";
  result.codecs.container = "mp4";
  result.notices = {"data stream 2 dropped: mp4 can't hold it"};
  result.times.wall_s = 4;
  result.times.fps = 40;
  result.times.startup_s = 1.5;
  result.times.cpu_s = 7;
  result.times.stages = {{StageId::decode, {1, 2, 3, 4}, 12.5, 0.3125, {0.5, 0.5, 0.5, 0.5}},
                         {StageId::inference, {2, 3, 4, 5}, 20, 0.5, {}}};
  result.times.total_ms = {5, 6, 7, 8};
  result.output = "out/" + name;
  return outcome;
}

inline app::InputOutcome outcome_with_code(app::InputStatus status, int code,
                                           const std::string& error = "") {
  app::InputOutcome outcome = done_outcome("x.mp4");
  outcome.status = status;
  outcome.code = code;
  outcome.error = error;
  return outcome;
}

}  // namespace facepipe::test
