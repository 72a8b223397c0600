// Runs a job with a fake detector and keeps its results.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/backend.h"
#include "pipeline/cpu/backend.h"
#include "pipeline/job.h"
#include "tests/support/fake_detector.h"
#include "video/write/container.h"

namespace facepipe::test {

/// Returns the options of a job that draws nothing and uses the container's default encoder.
inline pipeline::JobOptions default_job(const std::filesystem::path& input,
                                        const std::filesystem::path& output) {
  pipeline::JobOptions options;
  options.input.name = input.string();
  options.output.path = output;
  options.output.existing = ExistingTarget::replace;
  options.overlay = {false, false, false, false};
  return options;
}

/// Returns the options of default_job() with a fast lossless encoder, so that the output's pictures
/// equal the input's.
inline pipeline::JobOptions lossless_job(const std::filesystem::path& input,
                                         const std::filesystem::path& output) {
  pipeline::JobOptions options = default_job(input, output);
  options.output.encoder.preset = "ultrafast";
  options.output.encoder.options = {{"qp", "0"}};
  return options;
}

/// Returns the CPU's backend with a fake detector.
inline std::unique_ptr<pipeline::Backend> fake_backend(FakeBehaviour behaviour = {}) {
  auto factory = std::make_unique<FakeDetectorFactory>();
  factory->behaviour = std::move(behaviour);
  return pipeline::make_cpu_backend(std::move(factory));
}

struct JobRun {
  pipeline::JobResult result;
  std::vector<FrameRecord> records;
};

inline JobRun run_fake_job(const pipeline::JobOptions& options, FakeBehaviour behaviour = {},
                           const std::stop_token& stop = {},
                           std::unique_ptr<video::Source> opened = nullptr) {
  const auto backend = fake_backend(std::move(behaviour));
  JobRun run;
  pipeline::JobObserver observer;
  observer.frame = [&](const FrameRecord& record) { run.records.push_back(record); };
  run.result = pipeline::run_job(options, *backend, observer, stop, std::move(opened));
  return run;
}

/// Returns one candidate with this box. All its landmarks are at (0, 0).
inline Detections one_face(const Box& box, float score = 0.9F) {
  Detections detections;
  detections.push_back(box, score, Landmarks{});
  return detections;
}

}  // namespace facepipe::test
