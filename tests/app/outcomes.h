// Makes outcomes of inputs for tests of report, summary and exit code.
#pragma once

#include "app/run/input_outcome.h"
#include "pipeline/job_result.h"

namespace facepipe::test {

inline app::RunFacts some_facts() {
  return {{Device{}},
          "cpu: nothing else here",
          {detector::Library::openvino, detector::Precision::f16, "fastest here"},
          "centerface",
          "models/m.onnx",
          "abc123",
          "face"};
}

inline app::InputOutcome done_outcome(const std::string& name) {
  app::InputOutcome outcome;
  outcome.planned = {"dir/" + name, name, "out/" + name, {}};
  outcome.status = app::InputStatus::done;
  pipeline::JobResult& result = outcome.result;
  result.ledger = {100, 100, 0, 0, 100, false};
  result.searched = 50;
  result.faces = 250;
  result.candidates = 700;
  result.size = {640, 480};
  result.network_size = {640, 480};
  result.decoder = "h264";
  result.encoder = "libx264";
  result.video_codec = "h264";
  result.container = "mp4";
  result.notices = {"data stream 2 dropped: mp4 can't hold it"};
  result.wall_s = 4;
  result.fps = 40;
  result.startup_s = 1.5;
  result.cpu_s = 7;
  result.stages = {{StageId::decode, {1, 2, 3, 4}, 12.5, 0.3125, {0.5, 0.5, 0.5, 0.5}},
                   {StageId::inference, {2, 3, 4, 5}, 20, 0.5, {}}};
  result.total_ms = {5, 6, 7, 8};
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
